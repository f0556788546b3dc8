/// When the frame of a capture was exposed, and how well that is known.
public struct FrameTiming: Hashable, Sendable {
    /// The driver's sequence number of the frame.
    public var sequence: UInt64
    /// Mid-exposure on the node's own clock.
    public var localMidExposure: LocalTime
    /// Mid-exposure on the rig's time line; the bound covers clock and stamp.
    public var midExposure: BoundedRigTime
    /// Mid-exposure minus T, in nanoseconds; its bound is `midExposure.boundNanoseconds`.
    public var skewNanoseconds: Int64
    /// Exposure time in nanoseconds, where the camera tells.
    public var exposureNanoseconds: Int64?
    /// When the frame left the driver's queue, on the rig's time line.
    public var dequeued: RigTime

    public init(
        sequence: UInt64, localMidExposure: LocalTime, midExposure: BoundedRigTime, skewNanoseconds: Int64,
        exposureNanoseconds: Int64? = nil, dequeued: RigTime
    ) {
        self.sequence = sequence
        self.localMidExposure = localMidExposure
        self.midExposure = midExposure
        self.skewNanoseconds = skewNanoseconds
        self.exposureNanoseconds = exposureNanoseconds
        self.dequeued = dequeued
    }
}
