import CameraKit
import Video4Linux

extension CameraError {
    /// Why controls were not set.
    /// - Parameter device: The device as it is configured.
    init(_ error: ControlError, device: String) {
        switch error.cause {
        case .device(let cause):
            self.init(cause, device: device)
            reason =
                error.changed.isEmpty ? reason : "\(reason); may be changed: \(error.changed.joined(separator: ", "))"
        case .grabbed:
            self.init(.busy, device: device, operation: "set controls", reason: error.description)
        case .unknown, .badValue, .readOnly, .inactive:
            self.init(.unsupportedControl, device: device, operation: "set controls", reason: error.description)
        }
    }

    /// A request for controls that the control thread did not take.
    static func noAnswer(_ device: String, isFull: Bool) -> CameraError {
        isFull
            ? CameraError(
                .busy, device: device, operation: "ask for controls",
                reason: "too many requests wait for the camera's answers already; ask again later")
            : CameraError(
                .failed, device: device, operation: "ask for controls",
                reason: "the stream has ended; ask again when the camera runs")
    }
}
