/// Where a free-running camera's exposures fall on the rig's time line.
public struct FramePhase: Hashable, Codable, Sendable {
    /// Mid-exposure of the newest good frame.
    public var midExposure: RigTime
    /// Measured time from frame to frame, in nanoseconds.
    public var periodNanoseconds: Int64

    public init(midExposure: RigTime, periodNanoseconds: Int64) {
        self.midExposure = midExposure
        self.periodNanoseconds = periodNanoseconds
    }
}
