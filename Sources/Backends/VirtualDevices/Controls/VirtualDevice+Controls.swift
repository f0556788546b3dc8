import CameraKit
import CaptureModel
import PosixSupport

extension VirtualDevice {
    /// Every control with its accepted value.
    var controls: [DeviceControl] {
        withControls { configuration, controls in
            VirtualControl.all(of: configuration).map { $0.description(configuration, controls.accepted) }
        }
    }

    /// Sets controls by name, all or none, unless the camera is unplugged while it sets them. They take effect with the next
    /// planned frame, or as many frames later as the configuration says.
    /// - Returns: The accepted value of each that has one. The present picture may still have others.
    func setControls(_ values: [String: Int64]) throws(CameraError) -> [String: Int64] {
        let instant = now
        return try withControls { configuration, controls throws(CameraError) in
            let request = try checked(values, configuration, controls.accepted)
            for (index, (control, value)) in request.enumerated() {
                if faults.withSchedule({ $0.setsControl(at: instant) }) {
                    throw unplugged(setting: control, after: request.prefix(index).map(\.0))
                }
                let before = controls.accepted[control]
                try record("set controls") { truth throws(PosixError) in
                    try truth.set(control, value, was: before, at: instant)
                }
                controls.set(control, value, configuration)
            }
            return Dictionary(
                uniqueKeysWithValues: request.filter { !$0.0.isButton }.map { control, value in
                    (control.rawValue, control.description(configuration, controls.accepted).value ?? value)
                })
        }
    }

    /// Returns the controls of a request and their rounded values, in the order in which they are set.
    private func checked(
        _ values: [String: Int64], _ configuration: VirtualCameraConfiguration, _ accepted: VirtualControlValues
    ) throws(CameraError) -> [(VirtualControl, Int64)] {
        var request: [(VirtualControl, Int64)] = []
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let all = VirtualControl.all(of: configuration)
            guard let control = all.first(where: { $0.rawValue == name }) else {
                let names = all.map(\.rawValue).joined(separator: ", ")
                throw refused("there is no control '\(name)'; there are \(names)")
            }
            guard !control.isReadOnly else { throw refused("'\(name)' can be read but not set") }
            guard control.isButton || control.range.contains(value) else {
                let domain = control.description(configuration, accepted).domain
                throw refused("'\(name)' does not accept \(value); it accepts \(domain)")
            }
            if let need = control.need, values[need.mode.rawValue] ?? accepted[need.mode] != need.value {
                let mode = need.mode.description(configuration, accepted).text(of: need.value)
                throw refused("'\(name)' has no effect unless \(need.mode.rawValue) is \(mode)")
            }
            request.append((control, configuration.controls.rounded(value, control)))
        }
        if let (control, value) = request.first(where: { configuration.controls.refuses($0.1, $0.0) }) {
            throw refused(
                "the driver refuses: '\(control.rawValue)' cannot be \(value) (ERANGE), as 'controls.refuse' of the configuration says"
            )
        }
        return request.sorted { VirtualControl.isSetBefore($0.0, $1.0) }
    }

    private func refused(_ reason: String) -> CameraError {
        error(.unsupportedControl, "set controls", "\(reason); nothing was changed")
    }

    private func unplugged(setting control: VirtualControl, after done: [VirtualControl]) -> CameraError {
        let names = done.map(\.rawValue).joined(separator: ", ")
        let before = done.isEmpty ? "nothing was changed" : "changed before that: \(names)"
        return error(
            .absent, "set controls",
            "the virtual camera was unplugged while '\(control.rawValue)' was set; \(before)")
    }
}

extension DeviceControl {
    /// The values that it accepts, as text for a sentence.
    fileprivate var domain: String {
        if !menu.isEmpty { return menu.map { text(of: $0.index) }.joined(separator: ", ") }
        return "\(minimum) to \(maximum)" + (unit.map { " (× \($0))" } ?? "")
    }

    /// A value, with its name if it has one.
    fileprivate func text(of value: Int64) -> String {
        menu.first { $0.index == value }.map { "\(value) (\($0.name))" } ?? "\(value)"
    }
}
