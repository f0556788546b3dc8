/// The part of an instant's error that is the same, with its sign, for all cameras of one measurement: cameras that saw one
/// screen at once are all off by the same unknown part of its lag.
public struct SharedError: Hashable, Codable, Sendable {
    public var measurement: MeasurementID
    /// The largest amount of the part, nanoseconds; never negative, and at most the bound of what it is part of.
    public var boundNanoseconds: Int64

    public var bound: Duration { .nanoseconds(boundNanoseconds) }

    public init(_ measurement: MeasurementID, bound: Duration) {
        self.measurement = measurement
        boundNanoseconds = bound.nanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case measurement = "measurement"
        case boundNanoseconds = "boundNanoseconds"
    }
}
