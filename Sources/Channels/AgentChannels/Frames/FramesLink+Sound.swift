import CaptureModel
import Logging
import NodeCore
import RigWire
import Sound
import ZeroMQ

/// Sound of microphones that somebody listens to. A microphone is open while it has a listener, and longer where something
/// else needs it.
extension FramesLink {
    /// Ends the streams nobody listens to any more, and begins those that somebody listens to.
    /// - Returns: Those that have begun.
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

    /// Has microphones open that somebody listens to. The streams of earlier looks are let go of first.
    /// - Parameter following: What the look before has begun; replaced.
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

    /// - Returns: Whether the socket is there.
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
