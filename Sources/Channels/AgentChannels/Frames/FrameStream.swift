import CaptureEngine
import CaptureModel
import RigWire

/// The frames of one camera and kind while somebody watches them.
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

    /// Detaches the output; whoever waits for its frames gets no more.
    func end() {
        session.outputs.detach(output)
        output.close()
    }
}
