/// The interruption of a camera's stream while the camera was in another format for a still.
public struct StreamGap: Hashable, Codable, Sendable {
    /// Mid-exposure of the last frame before it, on the node's clock.
    public var localStart: LocalTime
    /// The same instant on the rig's time line; nil if the node had no clock estimate.
    public var start: RigTime?
    /// From the mid-exposure of the frame before it to that of the frame after it, in nanoseconds of the node's clock;
    /// nil if the stream had not returned yet.
    public var nanoseconds: Int64?

    public init(localStart: LocalTime, start: RigTime? = nil, nanoseconds: Int64? = nil) {
        self.localStart = localStart
        self.start = start
        self.nanoseconds = nanoseconds
    }

    private enum CodingKeys: String, CodingKey {
        case localStart = "localStart"
        case start = "start"
        case nanoseconds = "nanoseconds"
    }
}
