public import CaptureModel
public import RigProtocol

/// The description of the sound in a message of the frames channel. A *frame* is one sample of every channel.
public struct SoundHeader: Sendable {
    public var topic: SoundTopic
    /// The agent's run; numbers of different runs are unrelated.
    public var epoch: Epoch
    /// The number of the message in this topic and epoch, from 1, without gaps.
    public var number: UInt64
    /// The number of the first frame since the microphone was opened, including lost frames.
    public var position: UInt64
    /// Frames between the previous message and this one that no message carries.
    public var missingFrames: UInt64
    /// Whether the preceding sound is unknown: a listener has just subscribed, or the microphone was opened again.
    public var beginsRun: Bool
    /// When the first frame was sampled, on the node's clock.
    public var start: LocalTime
    /// The largest error of `start`.
    public var stampBound: Duration
    /// When the message was passed to the node's socket, on the node's clock.
    public var published: LocalTime
    /// The time line, and `start` on it with the bound of timestamp and clock together; nil while the node has no clock estimate.
    public var rig: (clock: RigClockID, start: BoundedRigTime, clockBound: Duration)?
    public var format: AudioFormat
    public var frameCount: Int

    public init(
        topic: SoundTopic, epoch: Epoch, number: UInt64, position: UInt64, missingFrames: UInt64, beginsRun: Bool,
        start: LocalTime, stampBound: Duration, published: LocalTime,
        rig: (clock: RigClockID, start: BoundedRigTime, clockBound: Duration)?, format: AudioFormat, frameCount: Int
    ) {
        self.topic = topic
        self.epoch = epoch
        self.number = number
        self.position = position
        self.missingFrames = missingFrames
        self.beginsRun = beginsRun
        self.start = start
        self.stampBound = stampBound
        self.published = published
        self.rig = rig
        self.format = format
        self.frameCount = frameCount
    }

    public var wire: WireSoundHeader {
        var wire = WireSoundHeader()
        wire.device = topic.device.wire
        wire.epoch = epoch.rawValue
        wire.number = number
        wire.position = position
        wire.missingFrames = missingFrames
        wire.beginsRun = beginsRun
        wire.localStartNs = start.nanoseconds
        wire.stampBoundNs = stampBound.nanoseconds
        wire.localPublishedNs = published.nanoseconds
        if let rig {
            wire.rig.rigClockID = rig.clock.rawValue
            wire.rig.rigStartNs = rig.start.time.nanoseconds
            wire.rig.boundNs = rig.start.boundNanoseconds
            wire.rig.clockBoundNs = rig.clockBound.nanoseconds
        }
        wire.format = "S16LE"
        wire.sampleRate = UInt32(clamping: format.sampleRate)
        wire.channelCount = UInt32(clamping: format.channels)
        wire.frameCount = UInt32(clamping: frameCount)
        return wire
    }
}

/// The topic of a microphone's sound: `node/device/sound`.
public struct SoundTopic: Hashable, Sendable, CustomStringConvertible {
    public var device: DeviceID

    public init(device: DeviceID) {
        self.device = device
    }

    public var description: String { "\(device)/sound" }

    /// The text and a NUL byte: the beginning of a message, and the prefix to which a listener subscribes.
    public var bytes: [UInt8] { Array(description.utf8) + [0] }
}
