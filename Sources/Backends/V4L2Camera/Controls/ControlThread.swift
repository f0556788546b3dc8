public import CameraKit
public import CaptureModel
import PosixSupport
import Video4Linux

/// The thread on which an open camera's controls are read and set, because a USB camera's answer can take long and must
/// not delay its frames.
///
/// It carries out requests one after another, and reads exposure time and gain every second and after every request. It
/// runs from ``start(_:name:)`` to ``stop()``. Requests that wait at the stop are answered that the stream has ended.
final class ControlThread: Sendable {
    /// The outcome of a request.
    enum Outcome<Result: Sendable>: Sendable {
        case done(Result)
        /// The stream has ended.
        case ended
        /// Sixteen requests wait already. The device is too slow.
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
    /// - Parameter path: The device's path, for errors.
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

    /// Starts the thread. The caller calls ``stop()`` and then joins it.
    func start(_ device: Device, name: String) throws(VideoError) -> NamedThread {
        do throws(PosixError) {
            return try NamedThread(name: name) { [self] in serve(device) }
        } catch {
            throw VideoError(error, devicePath: path)
        }
    }

    /// Ends the thread after its present request, and waiting requests at once. Does nothing if it has ended.
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

    /// Waits for requests or the next second. Returns nil after a stop.
    private func next() -> [@Sendable (Device?) -> Void]? {
        wake.wait(timeoutMilliseconds: controls.isEmpty ? -1 : Self.periodMilliseconds)
        // Cleared before the check: a request that arrives after the check raises it again.
        wake.clear()
        return state.withLock { state in
            guard !state.hasEnded else { return nil }
            defer { state.jobs = [] }
            return state.jobs
        }
    }
}

/// Exposure time and gain as reported by a device's controls.
///
/// Each is nil while an automatic mode controls it, because its value is not the one in use, and if the device does not
/// have it or does not answer.
struct SensorReading: Hashable, Sendable {
    /// Longer times are ignored: no free-running camera exposes for ten seconds.
    private static let longest: Int64 = 100_000

    private(set) var exposure: Duration?
    /// Gain in the driver's units.
    private(set) var gain: Int64?

    /// The relevant controls of a device.
    struct Controls: Hashable, Sendable {
        fileprivate let hasExposure: Bool
        fileprivate let gain: UInt32?

        var isEmpty: Bool { !hasExposure && gain == nil }

        init(of device: some ControlAccess) throws(VideoError) {
            hasExposure = try device.control(VideoControl.exposureAbsolute)?.isReadable == true
            var found: UInt32?
            for id in VideoControl.gains where found == nil {
                if try device.control(id)?.isReadable == true { found = id }
            }
            gain = found
        }
    }

    init() {}

    /// Reads the values from the device, which may take long.
    init(of device: some ControlAccess, _ controls: Controls) {
        if controls.hasExposure, let units = Self.value(VideoControl.exposureAbsolute, of: device),
            (1...Self.longest).contains(units)
        {
            exposure = .microseconds(units * 100)
        }
        gain = controls.gain.flatMap { Self.value($0, of: device) }
    }

    private static func value(_ id: UInt32, of device: some ControlAccess) -> Int64? {
        guard let control = try? device.control(id), !control.isInactive else { return nil }
        return try? device.value(of: control)
    }
}

extension V4L2CameraStream {
    /// Returns every control with a single value, read on the camera's control thread.
    public func controls() async throws(CameraError) -> [DeviceControl] {
        let name = name
        let outcome = await controlThread.perform { device in
            Result { () throws(VideoError) in try DeviceControl.all(of: device) }
                .mapError { CameraError($0, device: name) }
        }
        return try result(outcome)
    }

    /// Sets controls on the camera's control thread, as ``ControlTransaction`` does. Frames continue while it runs. The
    /// camera determines the first frame to which a value applies.
    public func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        let name = name
        let outcome = await controlThread.perform { device in
            Result { () throws(ControlError) in
                try ControlTransaction(values, on: device).apply(to: device)
            }.mapError { CameraError($0, device: name) }
        }
        return try result(outcome)
    }

    func result<Answer>(
        _ outcome: ControlThread.Outcome<Result<Answer, CameraError>>
    ) throws(CameraError) -> Answer {
        switch outcome {
        case .done(let result): try result.get()
        case .ended: throw failure ?? .noAnswer(name, isFull: false)
        case .full: throw .noAnswer(name, isFull: true)
        }
    }
}
