/// The frames of a recording, as long as each came when its number says: the first, the last, and the frame intervals
/// between them.
public struct FrameTrain: Hashable, Codable, Sendable {
    /// The instant of a frame's mid-exposure.
    public struct Instant: Hashable, Codable, Sendable {
        /// Nanoseconds of rig time.
        public var nanoseconds: Int64
        /// Its largest error.
        public var boundNanoseconds: Int64

        public init(nanoseconds: Int64, boundNanoseconds: Int64) {
            self.nanoseconds = nanoseconds
            self.boundNanoseconds = boundNanoseconds
        }

        private enum CodingKeys: String, CodingKey {
            case nanoseconds = "nanoseconds"
            case boundNanoseconds = "boundNanoseconds"
        }
    }

    public private(set) var first: Instant
    public private(set) var last: Instant
    public private(set) var intervalCount = 0

    public init(_ first: Instant) {
        self.first = first
        last = first
    }

    /// Returns the train with another one behind it.
    /// - Parameters:
    ///   - missing: Frames that the camera numbered between the two.
    ///   - interval: The frame interval that the camera's format states.
    /// - Returns: nil if the next train begins half an interval or more from where the numbers say: if frames were lost that
    ///   nothing has counted, or the rate changed.
    public func followed(by next: FrameTrain, missing: Int64, interval: Duration) -> FrameTrain? {
        guard interval > .zero, (0..<Int64(Int32.max)).contains(missing) else { return nil }
        let gap = Double(next.first.nanoseconds) - Double(last.nanoseconds)
        guard (gap / Double(interval.nanoseconds) - Double(missing + 1)).magnitude < 0.5 else { return nil }
        var train = self
        train.last = next.last
        train.intervalCount = intervalCount &+ Int(missing) &+ 1 &+ next.intervalCount
        return train
    }

    /// The pace of the frames; nil if there is one frame.
    public var pace: FramePace? {
        guard intervalCount > 0 else { return nil }
        let span = Duration.nanoseconds(last.nanoseconds) - .nanoseconds(first.nanoseconds)
        let bound = Duration.nanoseconds(first.boundNanoseconds) + .nanoseconds(last.boundNanoseconds)
        return FramePace(
            intervalCount: intervalCount, spanNanoseconds: span.nanoseconds, boundNanoseconds: bound.nanoseconds)
    }

    private enum CodingKeys: String, CodingKey {
        case first = "first"
        case last = "last"
        case intervalCount = "intervalCount"
    }
}
