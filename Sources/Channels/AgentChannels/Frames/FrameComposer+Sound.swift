import CameraKit
import CaptureModel
import NodeCore
import RigWire
import ZeroMQ

extension FrameComposer {
    /// The message of a stretch of sound.
    /// - Throws: ``WireError`` where the header is too large.
    func message(_ chunk: SoundChunk, of topic: SoundTopic, number: UInt64) throws(WireError) -> Message {
        let buffer = chunk.buffer
        let header = SoundHeader(
            topic: topic, epoch: epoch, number: number, position: buffer.position, missingFrames: chunk.missingFrames,
            beginsRun: chunk.beginsRun, start: buffer.firstFrame, stampBound: buffer.stampBound, published: clock.now(),
            rig: rigTime(of: chunk), format: buffer.format, frameCount: buffer.frameCount)
        var payload: [UInt8] = []
        payload.reserveCapacity(2 * buffer.samples.count)
        for sample in buffer.samples {
            payload.append(UInt8(truncatingIfNeeded: sample))
            payload.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return Message([MessagePart(joining: [try FrameEnvelope.prefix(header), payload])])
    }

    private func rigTime(of chunk: SoundChunk) -> (clock: RigClockID, start: BoundedRigTime, clockBound: Duration)? {
        guard let clockID = rigClock.clockID, let rig = rigClock.rigTime(at: chunk.buffer.firstFrame) else {
            return nil
        }
        return (
            clockID, BoundedRigTime(time: rig.time, bound: rig.bound + chunk.buffer.stampBound), rig.bound
        )
    }
}
