import CameraKit
import CaptureModel

/// The controls of a program whose camera is set only when it is opened. They can be read.
struct ReadOnlyControls: StreamControls {
    let device: String
    let controls: ProgramControls

    /// What the program has told so far.
    var told: [DeviceControl] {
        controls.told.map { control in
            var control = control
            control.isReadOnly = true
            return control
        }
    }

    func controls() async throws(CameraError) -> [DeviceControl] { told }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        guard let name = values.keys.min() else { return [:] }
        throw CameraError(
            .unsupportedControl, device: device, operation: "set controls",
            reason:
                "'\(name)' cannot be set while the camera exposes at given instants: it is set when it is opened; correct `settings` of its source"
        )
    }
}
