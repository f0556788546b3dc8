import ALSA
public import CameraKit
public import CaptureModel
public import PosixSupport
public import RigConfiguration

/// The loop of a microphone's thread: wait, read, stamp, pass on. Used only on that thread.
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
            device: device, wish: PCMRequest(rate: request.sampleRate, channels: request.channels))
        format = AudioFormat(sampleRate: pcm.parameters.rate, channels: pcm.parameters.channels)
        stamps = SoundStampRule(pcm.parameters, latencyOffset: latencyOffset)
        self.control = control
        self.buffers = buffers
        self.clock = clock
        try pcm.start()
    }

    /// Captures until a stop is requested, or throws when the device fails.
    func run() throws(ALSAError) {
        while !control.isStopping {
            let readiness = try pcm.wait(orReadable: control.signal.descriptor)
            if readiness.isWoken { control.signal.clear() }
            guard readiness.isReadable, !control.isStopping else { continue }
            if let block = try pcm.read() { hand(block) }
            // A device that has not woken after a sleep of the machine is always ready and never has data.
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

/// Microphones supported by libasound.
public struct ALSABackend: CaptureBackend {
    public let name = ALSASource.key
    public let microphones: (any MicrophoneSource.Type)? = ALSASource.self

    public init() {}

    public func discover() async throws(CameraError) -> Discovery? {
        Discovery(try await MicrophoneListing.all(), absence: "This machine has no ALSA microphone.")
    }

    public func arrivals() throws(PosixError) -> AsyncStream<Void>? {
        try DeviceArrivals.announced(bySubsystem: "sound")
    }
}

/// `alsa: DEVICE`: libasound's name, such as `hw:CARD=Webcam,DEV=0`.
public struct ALSASource: MicrophoneSource {
    public static let key = "alsa"

    public var device: String

    public init(device: String) {
        self.device = device
    }

    public init?(_ value: YAMLValue) {
        guard let device = value.scalar(.text(limit: 128)) else { return nil }
        self.init(device: device)
    }

    public var written: WrittenValue { .text(device) }

    public var hardware: String? { device }

    public func makeMicrophone(name: DeviceName, latencyOffset: Duration) -> any Microphone {
        ALSAMicrophone(name: name.rawValue, device: device, latencyOffset: latencyOffset)
    }
}

extension DeviceSource {
    /// Creates the source of an ALSA microphone.
    public static func alsa(device: String) -> DeviceSource { DeviceSource(ALSASource(device: device)) }
}
