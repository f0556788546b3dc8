import CameraKit
import CaptureModel
import FaultPoints
import Logging
import NodeCore
import RigWire
import Sound
import ZeroMQ

/// Sound of microphones that have listeners. A microphone is open while it has a listener, and longer if something else
/// needs it.
extension FramesLink {
    /// Ends the streams without listeners, and creates streams for topics that have listeners.
    /// - Returns: The streams that were created.
    func startedSounds() -> [SoundStream] {
        var started: [SoundStream] = []
        for session in microphones {
            let topic = SoundTopic(device: session.device.id)
            let isHeard = isSubscribed(topic.bytes)
            if isHeard == (sounds[topic] != nil) { continue }
            if isHeard {
                let stream = SoundStream(session)
                sounds[topic] = stream
                started.append(stream)
            } else {
                sounds.removeValue(forKey: topic)?.output.close()
            }
        }
        return started
    }

    /// Keeps microphones with listeners open. Streams of earlier checks are released first.
    /// - Parameter following: The streams that the previous check has begun; replaced.
    func followListeners(_ following: inout [SoundStream]) async {
        let heard = Array(sounds.values)
        for stream in following where !heard.contains(where: { $0.output === stream.output }) { await stream.end() }
        for stream in heard where !following.contains(where: { $0.output === stream.output }) { await stream.begin() }
        following = heard
    }

    func serve(_ stream: SoundStream) async {
        var chunker = SoundChunker()
        while let element = await stream.output.next() {
            for chunk in chunker.add(element.buffer) {
                guard publish(chunk, of: stream.topic) else { return }
            }
        }
    }

    /// - Returns: Whether the socket exists.
    private func publish(_ chunk: SoundChunk, of topic: SoundTopic) -> Bool {
        let number = (soundNumbers[topic] ?? 0) &+ 1
        do {
            let message = try composer.message(chunk, of: topic, number: number)
            soundNumbers[topic] = number
            return send(message)
        } catch {
            log.error("sound cannot be published", metadata: ["topic": "\(topic)", "reason": "\(error)"])
            return true
        }
    }
}

extension FrameComposer {
    /// The message of a piece of sound.
    /// - Throws: ``WireError`` if the header is too large.
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

/// The agent's messages on the frames channel, before they are sent.
enum FramesSendFault: String, SendFaultPoint {
    case frame = "agent.frames.send.frame"
}

/// Points where the agent's tasks of the frames channel wait.
enum FramesWaitFault: String, TaskFaultPoint {
    /// A frame has arrived and is not encoded as a message yet.
    case frame = "agent.frames.wait.frame"
}
