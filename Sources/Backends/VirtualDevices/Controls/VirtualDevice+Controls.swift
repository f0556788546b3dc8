import CameraKit
import CaptureModel

extension VirtualDevice {
    /// Every control as it stands.
    var controls: [DeviceControl] {
        withSettings { configuration, modes in VirtualControl.allCases.map { $0.description(configuration, modes) } }
    }

    /// Sets controls by name, all or none; they take effect with the next frame planned.
    /// - Returns: What each has afterwards.
    func setControls(_ values: [String: Int64]) throws(CameraError) -> [String: Int64] {
        try withSettings { configuration, modes throws(CameraError) in
            let request = try checked(values, configuration, modes)
            for (control, value) in request { control.set(value, &configuration, &modes) }
            return Dictionary(
                uniqueKeysWithValues: request.map { control, value in
                    (control.rawValue, control.description(configuration, modes).value ?? value)
                })
        }
    }

    private func checked(
        _ values: [String: Int64], _ configuration: VirtualCameraConfiguration, _ modes: VirtualModes
    ) throws(CameraError) -> [(VirtualControl, Int64)] {
        var request: [(VirtualControl, Int64)] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let control = VirtualControl(rawValue: name) else {
                let names = VirtualControl.allCases.map(\.rawValue).joined(separator: ", ")
                throw refused("there is no control '\(name)'; there are \(names)")
            }
            let description = control.description(configuration, modes)
            guard value >= description.minimum, value <= description.maximum else {
                throw refused("'\(name)' does not take \(value); it takes \(description.domain)")
            }
            request.append((control, value))
        }
        let isAuto = values[VirtualControl.autoExposure.rawValue].map { $0 == 0 } ?? modes.isAutoExposure
        if isAuto, values[VirtualControl.exposureTime.rawValue] != nil {
            throw refused("'exposure_time_absolute' has no effect unless auto_exposure is 1 (Manual Mode)")
        }
        return request
    }

    private func refused(_ reason: String) -> CameraError {
        error(.unsupportedControl, "set controls", "\(reason); nothing was changed")
    }
}

extension DeviceControl {
    /// The values it takes, for a sentence.
    fileprivate var domain: String {
        if !menu.isEmpty { return menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ") }
        return "\(minimum) to \(maximum)" + (unit.map { " (× \($0))" } ?? "")
    }
}
