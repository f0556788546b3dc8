import CaptureModel
import Video4Linux

extension DeviceControl {
    /// Every control of a device as it stands; may wait for the hardware.
    static func all(of device: some ControlAccess) throws(VideoError) -> [DeviceControl] {
        var controls: [DeviceControl] = []
        for control in try device.controls() {
            controls.append(DeviceControl(control, menu: try device.menu(of: control), value: value(control, device)))
        }
        return controls
    }

    /// Nil for what cannot be read, by kind or because the device does not answer: the others still count.
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
