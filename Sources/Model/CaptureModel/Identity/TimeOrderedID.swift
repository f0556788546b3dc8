/// An id of one kind of thing: a UUIDv7 that the creator of the thing chooses. Ids of different kinds are different types, so that none is
/// taken for another.
public protocol TimeOrderedID: Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    var uuid: TimeOrderedUUID { get }

    init(_ uuid: TimeOrderedUUID)
}

extension TimeOrderedID {
    /// - Returns: nil unless there are 16 bytes of a version 7 UUID.
    public init?(bytes: some Collection<UInt8>) {
        guard let uuid = TimeOrderedUUID(bytes: bytes) else { return nil }
        self.init(uuid)
    }

    /// Creates a random id.
    /// - Parameter unixMilliseconds: `CLOCK_REALTIME` at the request.
    public init(unixMilliseconds: Int64, using generator: inout some RandomNumberGenerator) {
        self.init(TimeOrderedUUID(unixMilliseconds: unixMilliseconds, using: &generator))
    }

    /// Creates a random id for what is requested at this moment.
    public static func fresh(at time: some TimeSource) -> Self {
        var generator = SystemRandomNumberGenerator()
        return Self(unixMilliseconds: time.wallClockPair().realtimeNanoseconds / 1_000_000, using: &generator)
    }

    /// Parses the 36-character form, in upper or lower case.
    public init?(_ text: String) {
        guard let uuid = TimeOrderedUUID(text) else { return nil }
        self.init(uuid)
    }

    /// The 16 bytes, in written order.
    public var bytes: [UInt8] { uuid.bytes }

    /// The time at which the id was created, by the creator's clock, in milliseconds since 1970.
    public var unixMilliseconds: Int64 { uuid.unixMilliseconds }

    public static func < (left: Self, right: Self) -> Bool { left.uuid < right.uuid }

    /// The lower-case 36-character form.
    public var description: String { uuid.description }

    public init(from decoder: any Decoder) throws { self.init(try TimeOrderedUUID(from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try uuid.encode(to: encoder) }
}
