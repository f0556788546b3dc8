/// Counts of messages that were dropped, by cause. Each cause is reported once, so that a faulty peer cannot fill a log.
public struct DroppedMessages: Sendable {
    /// The reason to drop a message.
    public enum Cause: String, Error, Hashable, Codable, Sendable, CaseIterable {
        /// Not a message of the channel, or with a field that is not valid.
        case malformed
        /// A kind of message that this version does not know.
        case unknown
        /// For, or from, an earlier run of a process.
        case oldEpoch
        /// From a connection that has not sent a hello.
        case unknownPeer
        /// It speaks for a node whose key its connection does not have.
        case foreignNode
        /// Not requested.
        case unexpected
        /// An outgoing message for which no queue had room.
        case unsent
    }

    /// The number of dropped messages, by cause.
    public private(set) var counts: [Cause: UInt64] = [:]

    public init() {}

    /// The counts by `channel.cause`, as a status shows them.
    public func counts(of channel: String) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: counts.map { ("\(channel).\($0.key.rawValue)", $0.value) })
    }

    /// Counts a message.
    /// - Parameter tell: Called for the first message of each cause only.
    public mutating func note(_ cause: Cause, tell: () -> Void) {
        counts[cause, default: 0] &+= 1
        if counts[cause] == 1 { tell() }
    }
}
