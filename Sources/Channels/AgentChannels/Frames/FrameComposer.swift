import CaptureEngine
import CaptureModel
import RigWire
import ZeroMQ

/// Makes the messages of the frames channel.
struct FrameComposer: Sendable {
    let epoch: Epoch
    let clock: any TimeSource
    let rigClock: any RigTimeSource

    /// The message of a frame.
    ///
    /// Header and picture are put together in libzmq's memory, by one copy: a conflating subscriber needs them in one part.
    /// - Throws: ``WireError`` where the header is too large.
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
