import CameraKit
import CaptureModel
import Video4Linux

extension DeviceControl {
    /// Returns every control of a device with its present value. May wait for the hardware.
    static func all(of device: some ControlAccess) throws(VideoError) -> [DeviceControl] {
        var controls: [DeviceControl] = []
        for control in try device.controls() {
            controls.append(DeviceControl(control, menu: try device.menu(of: control), value: value(control, device)))
        }
        return controls
    }

    /// Returns nil for a control that cannot be read, because of its kind or because the device does not answer. The
    /// others still count.
    private static func value(_ control: VideoControl, _ device: some ControlAccess) -> Int64? {
        control.isReadable ? try? device.value(of: control) : nil
    }

    private init(_ control: VideoControl, menu: [VideoMenuItem], value: Int64?) {
        self.init(
            name: control.key, kind: Kind(control.kind), minimum: control.minimum, maximum: control.maximum,
            step: max(Int64(clamping: control.step), 1), defaultValue: control.defaultValue, unit: control.unit,
            menu: menu.map { MenuItem(index: $0.index, name: $0.name) }, value: value,
            isReadOnly: !control.isWritable, isInactive: control.isInactive)
    }
}

extension DeviceControl.Kind {
    fileprivate init(_ kind: VideoControl.Kind) {
        switch kind {
        case .integer, .integer64: self = .integer
        case .boolean: self = .boolean
        case .menu, .integerMenu: self = .menu
        case .bitmask: self = .bitmask
        case .button: self = .button
        }
    }
}

extension CameraError {
    /// Translates why controls were not set.
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

    /// Returns the error of a request for controls that the control thread did not accept.
    static func noAnswer(_ device: String, isFull: Bool) -> CameraError {
        isFull
            ? CameraError(
                .busy, device: device, operation: "ask for controls",
                reason: "too many requests already wait for the camera; try again later")
            : CameraError(
                .failed, device: device, operation: "ask for controls",
                reason: "the stream has ended; ask again when the camera runs")
    }
}
