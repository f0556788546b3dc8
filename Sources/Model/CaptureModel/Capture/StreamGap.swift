/// The time a camera's stream was away, because the camera was in another format for a still.
public struct StreamGap: Hashable, Sendable {
    /// Mid-exposure of the last frame before it, on the node's clock.
    public var localStart: LocalTime
    /// The same on the rig's time line; nil where the node had no clock estimate.
    public var start: RigTime?
    /// From mid-exposure to mid-exposure of the frames before and after it, nanoseconds of the node's clock; nil where the
    /// stream had not come back yet.
    public var nanoseconds: Int64?

    public init(localStart: LocalTime, start: RigTime? = nil, nanoseconds: Int64? = nil) {
        self.localStart = localStart
        self.start = start
        self.nanoseconds = nanoseconds
    }
}
