import CameraKit
import CaptureModel
import PosixSupport

/// The state that a virtual microphone and its streams share: the settings, the faults, and whether the device is held.
final class VirtualMicrophoneDevice: Sendable {
    let name: String
    let configuration: VirtualMicrophoneConfiguration
    let faults: VirtualFaults
    private let state = Locked(State())

    private struct State {
        var isHeld = false
        /// The clock of the last start, by which faults with a start time are evaluated.
        var clock: (any TimeSource)?
    }

    init(name: String, configuration: VirtualMicrophoneConfiguration) {
        self.name = name
        self.configuration = configuration
        faults = VirtualFaults(FaultSchedule(configuration.faults, noise: configuration.noise))
    }

    /// Returns the format of a stream.
    func format(_ request: AudioFormatRequest) throws(CameraError) -> AudioFormat {
        if let problem = configuration.problems.first { throw error(.failed, "open", "\(problem)") }
        let format = AudioFormat(
            sampleRate: request.sampleRate ?? configuration.sampleRate,
            channels: request.channels ?? configuration.channels)
        guard AudioFormat.sampleRates.contains(format.sampleRate) else {
            let limits = "\(AudioFormat.sampleRates)"
            throw error(.unsupportedFormat, "negotiate", "\(format.sampleRate) Hz are not within \(limits)")
        }
        guard AudioFormat.channelCounts.contains(format.channels) else {
            let limits = "\(AudioFormat.channelCounts)"
            throw error(.unsupportedFormat, "negotiate", "\(format.channels) channels are not within \(limits)")
        }
        return format
    }

    /// Why the device cannot be queried at present. The query uses up no fault.
    var obstacle: CameraError? {
        let now = state.withLock { $0.clock }?.now()
        guard let kind = faults.withSchedule({ $0.foreseenRefusal(at: now) }), kind != .busy else { return nil }
        return refusal(kind)
    }

    /// Opens the device, which must be released with ``release()``.
    func open(clock: any TimeSource) throws(CameraError) -> LocalTime {
        let instant = clock.now()
        state.withLock { $0.clock = clock }
        if let kind = faults.withSchedule({ $0.refusal(at: instant) }) { throw refusal(kind) }
        try state.withLock { state throws(CameraError) in
            guard !state.isHeld else { throw error(.busy, "open", "it is open already; stop that stream first") }
            state.isHeld = true
        }
        return instant
    }

    func release() {
        state.withLock { $0.isHeld = false }
    }

    func error(_ code: CameraError.Code, _ operation: String, _ reason: String) -> CameraError {
        CameraError(code, device: name, operation: operation, reason: reason)
    }

    /// The error of a stream whose device was unplugged.
    var unplugged: CameraError {
        error(.absent, "stream", "the virtual microphone was unplugged; it comes back when that fault ends")
    }

    private func refusal(_ kind: VirtualFault.Kind) -> CameraError { kind.refusal(of: "virtual microphone", name) }
}

extension VirtualMicrophoneConfiguration {
    /// The random numbers of this microphone; different from those of the camera with the same number.
    var noise: SeededNoise {
        SeededNoise(seed: SeededNoise(seed: seed).bits(at: UInt64(number), stream: 0x6D69_63))
    }
}
