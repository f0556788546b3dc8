internal import CaptureModel

/// What a calibration asks of a rig.
protocol CalibrationRig: Sendable {
    /// The controls of a camera that streams, the time from frame to frame, and the format of its stream as text.
    func controls(of device: DeviceID) async throws -> (
        controls: [DeviceControl], interval: Duration?, format: String?
    )
    /// Goes on if the task is cancelled, so that the value can be put back.
    func set(_ device: DeviceID, _ control: String, _ value: Int64) async throws -> SettingsEffect
    /// - Returns: The file.
    func keep(_ device: DeviceID, _ delays: [ControlDelay]) async throws -> String
}
