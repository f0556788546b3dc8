import CameraKit
import CaptureModel
import PosixSupport

/// The state that a virtual camera and its streams share: the settings, the faults, and the running streams.
final class VirtualDevice: Sendable {
    let name: String
    let faults: VirtualFaults
    /// The correction of late stamps.
    let stamps: StampCorrection
    private let truth: VirtualTruth?
    private let state: Locked<State>

    private struct State {
        /// Exposure and gain are those of the controls.
        var configuration: VirtualCameraConfiguration
        var controls: VirtualControls
        /// The running streams.
        var held: Set<StreamName> = []
        /// How far the exposures are from their configured phase.
        var shift = Duration.zero
        /// How often the camera was opened.
        var opens: UInt64 = 0
        /// The clock of the last start, by which faults with a start time are evaluated.
        var clock: (any TimeSource)?
    }

    init(name: String, configuration: VirtualCameraConfiguration, stamps: StampCorrection = StampCorrection()) {
        self.name = name
        self.stamps = stamps
        faults = VirtualFaults(FaultSchedule(configuration.faults, noise: configuration.noise))
        truth = configuration.truth.map(VirtualTruth.init)
        state = Locked(State(configuration: configuration, controls: VirtualControls(configuration)))
    }

    /// The configuration, with the accepted exposure and gain.
    var configuration: VirtualCameraConfiguration {
        state.withLock { $0.configuration.with($0.controls.accepted) }
    }

    /// Plans the next frame of a stream and returns its settings.
    func plan(_ stream: StreamName) -> VirtualSettings {
        state.withLock { state in
            let values = state.controls.plan(stream, look: state.configuration.look)
            var settings = VirtualSettings(state.configuration, values)
            settings.configuration.phaseMilliseconds += state.shift.seconds * 1000
            return settings
        }
    }

    /// Moves the exposures of all frames that are planned from here on.
    func shiftPhase(by shift: Duration) { state.withLock { $0.shift += shift } }

    /// Calls `body` with the configuration and the controls, under the lock.
    func withControls<Result, Failure>(
        _ body: (VirtualCameraConfiguration, inout VirtualControls) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try state.withLock { state throws(Failure) in try body(state.configuration, &state.controls) }
    }

    func reconfigure(_ change: (inout VirtualCameraConfiguration) -> Void) throws(CameraError) {
        try state.withLock { state throws(CameraError) in
            var changed = state.configuration.with(state.controls.accepted)
            change(&changed)
            try check(changed, "reconfigure")
            state.configuration = changed
            state.controls.adopt(changed)
        }
    }

    /// Why the device cannot be queried at present. The query uses up no fault.
    var obstacle: CameraError? {
        let now = state.withLock { $0.clock }?.now()
        guard let kind = faults.withSchedule({ $0.foreseenRefusal(at: now) }), kind != .busy else { return nil }
        return refusal(kind)
    }

    /// The present time of the last start's clock; zero before the first start.
    var now: LocalTime { state.withLock { $0.clock }?.now() ?? LocalTime(nanoseconds: 0) }

    /// Opens a stream, which must be released with ``release(_:)``.
    func open(_ stream: StreamName, clock: any TimeSource) throws(CameraError) -> LocalTime {
        let instant = clock.now()
        state.withLock { $0.clock = clock }
        try open(stream, at: instant)
        return instant
    }

    private func open(_ stream: StreamName, at instant: LocalTime) throws(CameraError) {
        if let kind = faults.withSchedule({ $0.refusal(at: instant) }) { throw refusal(kind) }
        try record("open") { truth throws(PosixError) in try truth.begin(stream, at: instant) }
        try state.withLock { state throws(CameraError) in
            try check(state.configuration, "open")
            let isFirst = state.held.isEmpty
            guard state.held.insert(stream).inserted else {
                throw error(.busy, "open", "it is streaming already; stop that stream first")
            }
            if isFirst {
                state.shift = state.configuration.shift(ofOpening: state.opens)
                state.opens += 1
            }
            state.controls.open(stream)
        }
    }

    func release(_ stream: StreamName) {
        state.withLock { state in
            state.held.remove(stream)
            state.controls.close(stream)
        }
    }

    /// Appends to the file of what the camera did, if it has one.
    func record(
        _ operation: String, _ write: (VirtualTruth) throws(PosixError) -> Void
    ) throws(CameraError) {
        guard let truth else { return }
        do throws(PosixError) { try write(truth) } catch { throw self.error(.failed, operation, "\(error)") }
    }

    func error(_ code: CameraError.Code, _ operation: String, _ reason: String) -> CameraError {
        CameraError(code, device: name, operation: operation, reason: reason)
    }

    /// The error of a stream whose device was unplugged.
    var unplugged: CameraError {
        error(.absent, "stream", "the virtual camera was unplugged; it comes back when that fault ends")
    }

    private func refusal(_ kind: VirtualFault.Kind) -> CameraError { kind.refusal(of: "virtual camera", name) }

    private func check(_ configuration: VirtualCameraConfiguration, _ operation: String) throws(CameraError) {
        guard let problem = configuration.problems.first else { return }
        throw error(.failed, operation, "\(problem)")
    }
}
