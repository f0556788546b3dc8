package import CaptureModel

/// The controls of a running stream. ``CameraStream/controls()`` and ``CameraStream/setControls(_:)`` say what the two functions owe.
package protocol StreamControls: Sendable {
    func controls() async throws(CameraError) -> [DeviceControl]
    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64]
}
