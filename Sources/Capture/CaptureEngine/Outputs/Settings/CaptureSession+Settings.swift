public import CaptureModel

/// Settings of the session's camera: transactions, and controls by the driver's names.
extension CaptureSession {
    /// Carries out a step of a settings transaction. The table is in `docs/design/settings.md`.
    ///
    /// A prepare returns when the camera has been asked for its controls; a commit after T, when it is known which frames
    /// have the values, at the latest 64 frames and 5 s after the camera has accepted them; an undo when the values are
    /// put back. One that changes the stream takes as long in addition as the camera needs to open. A repeat of a step gets the same answer.
    /// - Throws: ``RigProblem``: `notRunning`; `conflict` with another transaction, or a capture that has the camera or would be cut;
    ///   `expired` if the transaction is not prepared; `tooSoon`, `tooFarAhead` or `unsynchronized` for T;
    ///   `unsupportedSettings` if the device refuses a value; `deviceLost`; `cancelled` if it was undone.
    public func carryOut(
        _ step: SettingsStep, of id: SettingsID
    ) async throws(RigProblem) -> SettingsStepResult {
        try await settings.carryOut(step, of: id)
    }

    /// Drops settings that were prepared and not committed, because the coordinator that had them prepared has gone.
    public func dropPreparedSettings() { settings.dropPrepared() }

    /// Sets controls of the camera by name, all or none; see ``CameraStream/setControls(_:)``.
    /// - Returns: The value of each afterwards, read back.
    /// - Throws: ``RigProblem``: `notRunning`; `unsupportedSettings` with the control and the reason; `conflict` while
    ///   a settings transaction or a capture that sets the camera is in progress.
    public func setControls(_ values: [String: Int64]) async throws(RigProblem) -> [String: Int64] {
        try await settings.setControls(values)
    }

    /// Returns the controls of the camera with those that its node adds.
    public func withControlsOfNode(_ controls: [DeviceControl]) -> [DeviceControl] {
        settings.controls.withControlsOfNode(controls)
    }

    /// Returns what the camera is to hold: what it gets whenever it is opened.
    /// - Throws: ``RigProblem``: `inputOutput` if it cannot be read at present; `noMemory` if it is more than settings can have.
    public func heldSettings() async throws(RigProblem) -> HeldSettings { try await settings.held() }

    /// Returns the settings of a frame of the open stream; nil if no transaction has made them.
    /// - Parameter sequence: The driver's number of the frame.
    public func settings(at sequence: UInt64) -> FrameSettings? { settings.settings(at: sequence) }
}

/// What a settings transaction has done to a camera.
public enum SettingsNotice: Hashable, Sendable {
    /// The values are set, or setting them failed.
    case changed(SettingsID, Result<SettingsEffect, RigProblem>)
    /// The earlier values are put back, or that failed.
    case undone(SettingsID, RigProblem?)
    /// The camera was opened with other values than it is to have, and gets these.
    case restored(SettingsID?, [ControlDifference])
    /// The camera has other values than it was given, and gets these again: another program has changed it, or it has changed
    /// them itself. `count`: how many times since its agent has started.
    case drifted(SettingsID?, [ControlDifference], count: Int)
    /// The camera was told to focus, because its scene has changed.
    case refocused(Refocus)
    /// The camera does not have the values that it is to have.
    case notRestored(RigProblem)
    /// The values are set, and will be lost when the agent ends.
    case notKept(RigProblem)
}
