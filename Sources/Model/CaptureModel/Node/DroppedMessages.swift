/// Messages that were not acted upon, by cause; each cause is told once, so that a broken peer cannot fill a log.
public struct DroppedMessages: Sendable {
    /// Why a message is dropped.
    public enum Cause: String, Error, Hashable, Codable, Sendable, CaseIterable {
        /// Not a message of the channel, or a field is not valid.
        case malformed
        /// A kind of message this version does not know.
        case unknown
        /// Meant for, or sent by, an earlier life of a process.
        case oldEpoch
        /// From a connection that has not said hello.
        case unknownPeer
        /// Not asked for.
        case unexpected
        /// A message of our own that no queue had room for.
        case unsent
    }

    /// How many were dropped, by cause.
    public private(set) var counts: [Cause: UInt64] = [:]

    public init() {}

    /// The counts under `channel.cause`, as a status shows them.
    public func counts(of channel: String) -> [String: UInt64] {
        Dictionary(uniqueKeysWithValues: counts.map { ("\(channel).\($0.key.rawValue)", $0.value) })
    }

    /// Counts a message.
    /// - Parameter tell: Called for the first of its cause only.
    public mutating func note(_ cause: Cause, tell: () -> Void) {
        counts[cause, default: 0] &+= 1
        if counts[cause] == 1 { tell() }
    }
}
