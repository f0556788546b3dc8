/// How far apart in time a recording's first and last frame are, for the drift of its camera: `pace` of a movie.
public struct FramePace: Hashable, Codable, Sendable {
    /// Frame intervals between the two: one for each frame that followed or that the camera numbered and did not deliver.
    public var intervalCount: Int
    /// From the first frame's mid-exposure to the last one's, in nanoseconds of rig time.
    public var spanNanoseconds: Int64
    /// The largest error of the span, in nanoseconds.
    public var boundNanoseconds: Int64

    public init(intervalCount: Int, spanNanoseconds: Int64, boundNanoseconds: Int64) {
        self.intervalCount = intervalCount
        self.spanNanoseconds = spanNanoseconds
        self.boundNanoseconds = boundNanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case intervalCount = "intervalCount"
        case spanNanoseconds = "spanNanoseconds"
        case boundNanoseconds = "boundNanoseconds"
    }
}
