import CameraKit
import CaptureModel

/// A running ALSA microphone. Dropping it stops the microphone, as ``stop()`` does, without waiting for it.
final class ALSAMicrophoneStream: MicrophoneStream {
    let format: AudioFormat
    let buffers: AsyncStream<AudioBuffer>
    private let control: StreamControl

    init(_ format: AudioFormat, buffers: AsyncStream<AudioBuffer>, control: StreamControl) {
        self.format = format
        self.buffers = buffers
        self.control = control
    }

    deinit {
        control.requestStop()
    }

    var losses: FrameCounters { control.losses }

    var failure: CameraError? { control.failure }

    func stop() async {
        control.requestStop()
        await control.waitUntilFinished()
    }
}
