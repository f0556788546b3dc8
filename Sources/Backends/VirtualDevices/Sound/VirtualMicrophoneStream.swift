import CameraKit
import CaptureModel

/// A running virtual microphone.
final class VirtualMicrophoneStream: MicrophoneStream {
    let format: AudioFormat
    let buffers: AsyncStream<AudioBuffer>
    private let report: StreamReport
    private let listening: Task<Void, Never>

    /// Buffers that wait for a consumer.
    private static let depth = 64

    init(_ device: VirtualMicrophoneDevice, _ format: AudioFormat, opened: LocalTime, clock: any TimeSource) {
        self.format = format
        let (buffers, continuation) = AsyncStream.makeStream(
            of: AudioBuffer.self, bufferingPolicy: .bufferingNewest(Self.depth))
        let report = StreamReport()
        self.buffers = buffers
        self.report = report
        // Unstructured, because the stream outlives the call that starts it; it ends with `stop()` or with this object.
        listening = Task {
            let loop = VirtualMicrophoneLoop(device, format, clock: clock, report: report, buffers: continuation)
            await loop.run(opened: opened)
        }
    }

    deinit {
        listening.cancel()
    }

    var losses: FrameCounters { report.losses.counters }

    var failure: CameraError? { report.failure }

    func stop() async {
        listening.cancel()
        await listening.value
    }
}
