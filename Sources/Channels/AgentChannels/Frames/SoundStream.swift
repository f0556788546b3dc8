import CaptureModel
import RigWire
import Sound

/// The sound of one microphone while somebody listens.
struct SoundStream: Sendable {
    let topic: SoundTopic
    let output = AudioDataOutput()
    let session: SoundSession

    init(_ session: SoundSession) {
        topic = SoundTopic(device: session.device.id)
        self.session = session
    }

    /// Has the microphone opened, and its sound come.
    func begin() async {
        await session.attach(output)
        await session.need(.listening)
    }

    /// Ends that.
    func end() async {
        await session.release(.listening)
        await session.detach(output)
    }
}
