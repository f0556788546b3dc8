/// What was expected of a shot when T was chosen: `prediction` of a manifest.
public struct SpreadPrediction: Hashable, Codable, Sendable {
    /// Latest minus earliest expected mid-exposure, in nanoseconds.
    public var spreadNanoseconds: Int64
    /// The largest error of the spread if the cameras keep their periods, in nanoseconds; nil if an agent does not report the bound of a
    /// phase.
    public var boundNanoseconds: Int64?
    /// The number of cameras whose phase was known. The others are not part of the prediction.
    public var cameras: Int
    /// How much later than requested T is, to be where the exposures are closest together, in nanoseconds.
    public var shiftNanoseconds: Int64

    public var spread: Duration { .nanoseconds(spreadNanoseconds) }
    public var bound: Duration? { boundNanoseconds.map { .nanoseconds($0) } }

    public init(spread: Duration, bound: Duration?, cameras: Int, shift: Duration) {
        spreadNanoseconds = spread.nanoseconds
        boundNanoseconds = bound?.nanoseconds
        self.cameras = cameras
        shiftNanoseconds = shift.nanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case spreadNanoseconds = "spreadNanoseconds"
        case boundNanoseconds = "boundNanoseconds"
        case cameras = "cameras"
        case shiftNanoseconds = "shiftNanoseconds"
    }
}
