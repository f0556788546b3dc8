public import CameraKit
public import CaptureModel
import PosixSupport

/// What a session is asked to do about its camera.
extension CaptureSession {
    /// Lets the session run; returns when its hardware runs or has failed.
    ///
    /// Ends what a ``stopRunning()`` holds, and tries a session again that has failed. ``run()`` must be executing.
    /// - Returns: Why it does not run, where it does not; it may still come to run by itself.
    @discardableResult
    public func startRunning() async -> CaptureProblem? {
        await need(.command)
    }

    /// Lets the session run for as long as something needs it; returns when its hardware runs or has failed. What
    /// somebody has stopped stays stopped, unless the demand is a command.
    @discardableResult
    public func need(_ demand: SessionDemand) async -> CaptureProblem? {
        guard core.isServing else {
            return CaptureProblem(.notRunning, "\(device.id): nobody serves the session; let its run() execute")
        }
        core.lingering.remove(demand)
        await core.handle(.start(demand))
        return await core.outcome()
    }

    /// Ends what ``need(_:)`` began; the camera is closed where nothing else needs it, and captures that are under way have their
    /// outcome. Harmless where nothing did.
    public func release(_ demand: SessionDemand) async {
        await core.release(demand)
    }

    /// Stops the session; when this returns, the device is free for others. It stays stopped until
    /// ``startRunning()``. Captures that have their frames are still made.
    public func stopRunning() async {
        await core.handle(.stop)
        await core.settle()
    }

    /// Has a session that has failed, or waits for its next attempt, tried at once; returns when it runs or has failed.
    /// - Returns: Why it does not run, where it does not.
    @discardableResult
    public func resume() async -> CaptureProblem? {
        await core.handle(.resume)
        return await core.outcome()
    }

    /// Tells the session that the system has a device that may be its own; it is then tried at once.
    public func deviceAppeared() async {
        await core.handle(.deviceAppeared)
    }

    /// Closes the camera because of the pressure on the machine, or lets it run again; harmless when told again.
    public func systemPressure(interrupts: Bool, _ pressure: SystemPressure) async {
        guard interrupts else { return await core.handle(.unbarred) }
        let figures = pressure.reason.map { ": \($0)" } ?? ""
        await core.handle(
            .barred(.systemPressure, "the machine is overloaded\(figures); the camera runs again when that is over"))
    }

    /// Tells the session that machine or process stood still: a session that ran is interrupted until its next good
    /// frame.
    ///
    /// After a sleep of the machine instants of before have no rig time any more. So the frames are given up, and with
    /// them the captures under way: each ends with `deviceLost`. After a stop of the process both stay, and what has no
    /// frame of its T is told so.
    public func wasSuspended(_ suspension: Suspension) async {
        await core.wasSuspended(suspension)
    }

    /// Sets controls of the camera by name, all or none; see ``CameraStream/setControls(_:)``.
    /// - Returns: What each has afterwards, read back.
    /// - Throws: ``CaptureProblem``: `notRunning`, or `unsupportedSettings` with the control and why.
    public func setControls(_ values: [String: Int64]) async throws(CaptureProblem) -> [String: Int64] {
        guard let stream else {
            throw CaptureProblem(.notRunning, "\(device.id) is not streaming: \(core.stateDescription)")
        }
        do throws(CameraError) {
            return try await stream.setControls(values)
        } catch {
            throw CaptureProblem(error)
        }
    }
}

extension CaptureProblem {
    /// Why a camera did not do what it was asked.
    public init(_ error: CameraError) {
        switch error.code {
        case .unsupportedControl, .unsupportedFormat: self.init(.unsupportedSettings, error.description)
        default: self.init(.notRunning, error.description)
        }
    }
}
