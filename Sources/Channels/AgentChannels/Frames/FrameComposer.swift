import CaptureEngine
import CaptureModel
import RigWire
import Sound
import ZeroMQ

/// Makes the messages of the frames channel.
struct FrameComposer: Sendable {
    let epoch: Epoch
    let clock: any TimeSource
    let rigClock: any RigTimeSource

    /// The message of a frame.
    ///
    /// Header and picture are joined in libzmq's memory by one copy, since a conflating subscriber needs them in one
    /// part.
    /// - Throws: ``WireError`` if the header is too large.
    func message(
        _ output: OutputFrame, of topic: FrameTopic, number: UInt64, drops: OutputDrops
    ) throws(WireError) -> Message {
        let frame = output.frame
        let header = FrameHeader(
            topic: topic, epoch: epoch, number: number, sequence: frame.sequence, midExposure: frame.midExposure,
            stampBound: frame.stampBound, exposure: frame.exposure, dequeued: frame.dequeued, published: clock.now(),
            rig: rigTime(of: frame), width: output.width, height: output.height, orientation: output.orientation,
            isMirrored: output.isMirrored, drops: drops)
        return Message([MessagePart(joining: [try FrameEnvelope.prefix(header), frame.jpeg])])
    }

    private func rigTime(of frame: PictureFrame) -> FrameRigTime? {
        guard let clockID = rigClock.clockID, let rig = rigClock.rigTime(at: frame.midExposure) else { return nil }
        return FrameRigTime(
            clock: clockID, midExposure: BoundedRigTime(time: rig.time, bound: rig.bound + frame.stampBound),
            clockBound: rig.bound)
    }
}

/// The frames of one camera and kind while they are watched.
struct FrameStream: Sendable {
    let topic: FrameTopic
    let output: any FrameOutput
    let session: CaptureSession

    /// Attaches the output to the camera's session.
    init(topic: FrameTopic, session: CaptureSession, output: any FrameOutput) {
        self.topic = topic
        self.session = session
        self.output = output
        session.outputs.attach(output)
    }

    /// Whether the session still has the topic's camera as its input.
    var isOfItsCamera: Bool { session.device.id == topic.device }

    /// Detaches the output. A reader that waits for its frames gets no more.
    func end() {
        session.outputs.detach(output)
        output.close()
    }
}

/// The sound of one microphone while it has a listener.
struct SoundStream: Sendable {
    let topic: SoundTopic
    let output = AudioDataOutput()
    let session: SoundSession

    init(_ session: SoundSession) {
        topic = SoundTopic(device: session.device.id)
        self.session = session
    }

    /// Requests the microphone, so that it is open and delivers sound.
    func begin() async {
        await session.attach(output)
        await session.need(.listening)
    }

    /// Withdraws the request for the microphone.
    func end() async {
        await session.release(.listening)
        await session.detach(output)
    }
}
