public import CaptureModel

/// What a message of the frames channel says of its frame.
public struct FrameHeader: Hashable, Sendable {
    public var topic: FrameTopic
    /// The agent's life; numbers of different ones are unrelated.
    public var epoch: Epoch
    /// Counts the messages of this topic in this epoch from 1, without gaps.
    public var number: UInt64
    /// The driver's sequence number.
    public var sequence: UInt64
    /// Mid-exposure on the node's clock.
    public var midExposure: LocalTime
    /// Largest error of `midExposure`.
    public var stampBound: Duration
    /// Exposure time, where the camera tells.
    public var exposure: Duration?
    /// When the frame was taken from the driver, on the node's clock.
    public var dequeued: LocalTime
    /// When the message was given to the node's socket, on the node's clock.
    public var published: LocalTime
    /// nil while the node has no clock estimate.
    public var rig: FrameRigTime?
    /// `JPEG`; formats may be added.
    public var format: String
    /// Pixels of the payload, before orientation.
    public var width: Int
    public var height: Int
    /// The turn that makes the picture stand upright; the pixels are not turned.
    public var orientation: Orientation
    /// Whether left and right are exchanged after that turn; they are not in the pixels.
    public var isMirrored: Bool
    /// Frames that no message of this topic carries, since the message before.
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

    /// The rig time at which the frame was taken from the driver, with the clock's bound; nil without a clock estimate.
    public var rigDequeued: BoundedRigTime? {
        rig.map { rig in
            BoundedRigTime(time: rig.midExposure.time + (dequeued - midExposure), bound: rig.clockBound)
        }
    }
}

/// A frame on the rig's time line.
public struct FrameRigTime: Hashable, Sendable {
    public var clock: RigClockID
    /// Mid-exposure, with the bound of stamp and clock together.
    public var midExposure: BoundedRigTime
    /// The clock's part of the bound: that of any local time of the header turned into rig time.
    public var clockBound: Duration

    public init(clock: RigClockID, midExposure: BoundedRigTime, clockBound: Duration) {
        self.clock = clock
        self.midExposure = midExposure
        self.clockBound = clockBound
    }
}
