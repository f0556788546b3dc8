/// A frame on its way into a recording, with what its sidecar says of it.
public struct RecordedFrame: Hashable, Sendable {
    /// A whole JPEG of the recording's size.
    public var jpeg: [UInt8]
    /// When it was exposed, in 1/90 000 s from the recording's start; see ``MovieTime``.
    public var presentationTime: Int64
    /// The same as rig time, and how far that may be wrong; nanoseconds.
    public var rigTimeNanoseconds: Int64
    public var boundNanoseconds: Int64
    /// The camera's own number of the frame.
    public var number: Int64
    /// Exposure time in nanoseconds, where the camera tells it.
    public var exposureNanoseconds: Int64?
    /// Gain in the camera's units, where it tells it.
    public var gain: Int64?
    /// Frames that are missing between the one before and this one.
    public var droppedBefore: Int64

    public init(
        jpeg: [UInt8], presentationTime: Int64, rigTimeNanoseconds: Int64, boundNanoseconds: Int64, number: Int64,
        exposureNanoseconds: Int64? = nil, gain: Int64? = nil, droppedBefore: Int64 = 0
    ) {
        self.jpeg = jpeg
        self.presentationTime = presentationTime
        self.rigTimeNanoseconds = rigTimeNanoseconds
        self.boundNanoseconds = boundNanoseconds
        self.number = number
        self.exposureNanoseconds = exposureNanoseconds
        self.gain = gain
        self.droppedBefore = droppedBefore
    }
}
