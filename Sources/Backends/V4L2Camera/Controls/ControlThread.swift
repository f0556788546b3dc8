import CaptureModel
import PosixSupport
import Video4Linux

/// The thread on which an open camera's controls are asked for and set, because a USB camera's answer can take long and
/// must not hold up its frames.
///
/// It does what is asked one thing after another, and reads exposure time and gain every second and after every request.
/// It lives from ``start(_:name:)`` to ``stop()``; what waits then is told that the stream has ended.
final class ControlThread: Sendable {
    /// What became of a request.
    enum Outcome<Result: Sendable>: Sendable {
        case done(Result)
        /// The stream has ended.
        case ended
        /// Sixteen requests wait already; the device does not keep up.
        case full
    }

    /// An open device.
    typealias Device = any ControlAccess & Sendable

    private struct State {
        var jobs: [@Sendable (Device?) -> Void] = []
        var sensor = SensorReading()
        var hasEnded = false
    }

    private let state: Locked<State>
    private let wake: EventFlag
    private let controls: SensorReading.Controls
    private let path: String

    private static let periodMilliseconds: Int32 = 1000
    static let mostJobs = 16

    /// Reads exposure and gain once, which may block.
    /// - Parameter path: The device's, for errors.
    init(_ device: Device, path: String) throws(VideoError) {
        self.path = path
        controls = try SensorReading.Controls(of: device)
        state = Locked(State(sensor: SensorReading(of: device, controls)))
        do throws(PosixError) {
            wake = try EventFlag()
        } catch {
            throw VideoError(error, devicePath: path)
        }
    }

    /// Exposure time and gain as last read.
    var sensor: SensorReading { state.withLock { $0.sensor } }

    /// Starts serving; the caller calls ``stop()`` and then joins the thread.
    func start(_ device: Device, name: String) throws(VideoError) -> NamedThread {
        do throws(PosixError) {
            return try NamedThread(name: name) { [self] in serve(device) }
        } catch {
            throw VideoError(error, devicePath: path)
        }
    }

    /// Ends the thread after what it is doing, and what waits at once; harmless when it has ended.
    func stop() {
        let jobs = state.withLock { state in
            state.hasEnded = true
            defer { state.jobs = [] }
            return state.jobs
        }
        for job in jobs { job(nil) }
        wake.signal()
    }

    /// Calls `body` with the device on this thread.
    func perform<Result: Sendable>(_ body: @escaping @Sendable (Device) -> Result) async -> Outcome<Result> {
        await withCheckedContinuation { answer in
            let refusal: Outcome<Result>? = state.withLock { state in
                if state.hasEnded { return .ended }
                if state.jobs.count >= Self.mostJobs { return .full }
                state.jobs.append { device in
                    answer.resume(returning: device.map { .done(body($0)) } ?? .ended)
                }
                return nil
            }
            if let refusal { answer.resume(returning: refusal) } else { wake.signal() }
        }
    }

    private func serve(_ device: Device) {
        while let jobs = next() {
            for job in jobs { job(device) }
            guard !controls.isEmpty else { continue }
            let sensor = SensorReading(of: device, controls)
            state.withLock { $0.sensor = sensor }
        }
    }

    /// Waits for requests or the next second; nil once stopped.
    private func next() -> [@Sendable (Device?) -> Void]? {
        wake.wait(timeoutMilliseconds: controls.isEmpty ? -1 : Self.periodMilliseconds)
        // Lowered before looking: what comes in after the look raises it again.
        wake.clear()
        return state.withLock { state in
            guard !state.hasEnded else { return nil }
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}
