public import CaptureModel

/// The description of a frame in a message of the frames channel.
public struct FrameHeader: Hashable, Sendable {
    public var topic: FrameTopic
    /// The agent's run; numbers of different runs are unrelated.
    public var epoch: Epoch
    /// The number of the message in this topic and epoch, from 1, without gaps.
    public var number: UInt64
    /// The driver's sequence number.
    public var sequence: UInt64
    /// Mid-exposure on the node's clock.
    public var midExposure: LocalTime
    /// The largest error of `midExposure`.
    public var stampBound: Duration
    /// Exposure time, if the camera reports it.
    public var exposure: Duration?
    /// When the frame was dequeued from the driver, on the node's clock.
    public var dequeued: LocalTime
    /// When the message was passed to the node's socket, on the node's clock.
    public var published: LocalTime
    /// The frame on the rig's time line; nil while the node has no clock estimate.
    public var rig: FrameRigTime?
    /// `JPEG`; other formats may be added.
    public var format: String
    /// Size of the payload in pixels, before orientation.
    public var width: Int
    public var height: Int
    /// The rotation that makes the picture upright. The pixels are not rotated.
    public var orientation: Orientation
    /// Whether left and right are exchanged after that rotation. They are not in the pixels.
    public var isMirrored: Bool
    /// Frames since the previous message that no message of this topic carries.
    public var drops: OutputDrops

    public init(
        topic: FrameTopic, epoch: Epoch, number: UInt64, sequence: UInt64, midExposure: LocalTime,
        stampBound: Duration, exposure: Duration?, dequeued: LocalTime, published: LocalTime, rig: FrameRigTime?,
        format: String = "JPEG", width: Int, height: Int, orientation: Orientation, isMirrored: Bool = false,
        drops: OutputDrops
    ) {
        self.topic = topic
        self.epoch = epoch
        self.number = number
        self.sequence = sequence
        self.midExposure = midExposure
        self.stampBound = stampBound
        self.exposure = exposure
        self.dequeued = dequeued
        self.published = published
        self.rig = rig
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
        self.isMirrored = isMirrored
        self.drops = drops
    }

    /// The rig time at which the frame was dequeued from the driver, with the clock's bound; nil without a clock estimate.
    public var rigDequeued: BoundedRigTime? {
        rig.map { rig in
            BoundedRigTime(time: rig.midExposure.time + (dequeued - midExposure), bound: rig.clockBound)
        }
    }
}

/// A frame on the rig's time line.
public struct FrameRigTime: Hashable, Sendable {
    public var clock: RigClockID
    /// Mid-exposure, with the bound of timestamp and clock together.
    public var midExposure: BoundedRigTime
    /// The clock's part of the bound. It applies to any local time of the header that is converted to rig time.
    public var clockBound: Duration

    public init(clock: RigClockID, midExposure: BoundedRigTime, clockBound: Duration) {
        self.clock = clock
        self.midExposure = midExposure
        self.clockBound = clockBound
    }
}
