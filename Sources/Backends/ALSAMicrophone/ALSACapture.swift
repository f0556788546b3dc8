import ALSA
import CameraKit
import CaptureModel
import PosixSupport

/// The loop of a microphone's thread: wait, read, stamp, hand on. Lives on that thread alone.
final class ALSACapture {
    let format: AudioFormat
    private let pcm: PCMCapture
    private let control: StreamControl
    private let buffers: AsyncStream<AudioBuffer>.Continuation
    private let clock: any TimeSource
    private let stamps: SoundStampRule

    /// Opens the device and starts the hardware.
    init(
        device: String, _ request: AudioFormatRequest, latencyOffset: Duration, control: StreamControl,
        buffers: AsyncStream<AudioBuffer>.Continuation, clock: any TimeSource
    ) throws(ALSAError) {
        pcm = try PCMCapture(
            device: device, wish: PCMWish(rate: request.sampleRate, channels: request.channels))
        format = AudioFormat(sampleRate: pcm.parameters.rate, channels: pcm.parameters.channels)
        stamps = SoundStampRule(pcm.parameters, latencyOffset: latencyOffset)
        self.control = control
        self.buffers = buffers
        self.clock = clock
        try pcm.start()
    }

    /// Captures until it is asked to stop, or the device fails, which is thrown.
    func run() throws(ALSAError) {
        while !control.isStopping {
            let readiness = try pcm.wait(orReadable: control.signal.descriptor)
            if readiness.isWoken { control.signal.clear() }
            guard readiness.isReadable, !control.isStopping else { continue }
            if let block = try pcm.read() { hand(block) }
            // A device that has not woken yet after a sleep of the machine is always ready and never has anything.
            if pcm.isAsleep { control.signal.wait(timeoutMilliseconds: Self.wakingMilliseconds) }
        }
    }

    private static let wakingMilliseconds: CInt = 100

    private func hand(_ block: PCMBlock) {
        let frames = block.samples.count / format.channels
        let (firstFrame, bound) = stamps.apply(block, frames: frames, read: clock.now())
        if block.lostFrames > 0 { control.count { $0.droppedByDevice &+= block.lostFrames } }
        let buffer = AudioBuffer(
            samples: block.samples, format: format, firstFrame: firstFrame, stampBound: bound, position: block.position,
            lostFrames: block.lostFrames)
        if case .dropped(let oldest) = buffers.yield(buffer) {
            control.count { $0.droppedByNode &+= UInt64(oldest.frameCount) }
        }
    }
}
