import CaptureModel

/// The controls of a virtual camera, under the names and numbers of V4L2.
enum VirtualControl: String, CaseIterable, Sendable {
    case autoExposure = "auto_exposure"
    case exposureTime = "exposure_time_absolute"
    case gain
    case automaticWhiteBalance = "white_balance_automatic"
    case whiteBalanceTemperature = "white_balance_temperature"
    case automaticFocus = "focus_automatic_continuous"
    /// The picture does not depend on it.
    case focus = "focus_absolute"
    // Of a camera with `focusFrames` only:
    case focusStart = "auto_focus_start"
    case focusStatus = "auto_focus_status"
    case flash = "flash_led_mode"
    /// As of the kernel's vivid: a value of `V4L2_CTRL_TYPE_INTEGER64`, which the picture does not depend on.
    case integer64 = "integer_64_bits"
    // Of a camera with a look only:
    case redBalance = "red_balance"
    case blueBalance = "blue_balance"
    /// The target before the camera.
    case testPattern = "test_pattern"

    /// `V4L2_EXPOSURE_AUTO` and `V4L2_EXPOSURE_MANUAL`.
    private static let exposureModes = [
        DeviceControl.MenuItem(index: 0, name: "Auto Mode"), DeviceControl.MenuItem(index: 1, name: "Manual Mode"),
    ]

    /// Returns the controls of a camera.
    static func all(of configuration: VirtualCameraConfiguration) -> [VirtualControl] {
        let absent: [VirtualControl] =
            (configuration.look == nil ? [.redBalance, .blueBalance, .testPattern] : [])
            + (configuration.controls.focusFrames == 0 ? [.focusStart, .focusStatus] : [])
        return allCases.filter { !absent.contains($0) }
    }

    /// The value of ``redBalance`` and ``blueBalance`` with which they change nothing.
    static let neutralBalance: Int64 = 128

    /// Controls whose driver may have a step, and all of whose values differ by less than 2³².
    static let stepped: [VirtualControl] = [.exposureTime, .gain, .whiteBalanceTemperature, .focus]

    /// The control and its value without which this one has no effect.
    var need: (mode: VirtualControl, value: Int64)? {
        switch self {
        case .exposureTime: (.autoExposure, 1)
        case .whiteBalanceTemperature, .redBalance, .blueBalance: (.automaticWhiteBalance, 0)
        case .focus, .focusStart: (.automaticFocus, 0)
        case .autoExposure, .gain, .automaticWhiteBalance, .automaticFocus, .focusStatus, .flash, .integer64,
            .testPattern:
            nil
        }
    }

    /// The order in which a driver is asked to set the controls of one request: modes before values before buttons, then by
    /// name.
    static func isSetBefore(_ first: VirtualControl, _ second: VirtualControl) -> Bool {
        (first.rank, first.rawValue) < (second.rank, second.rawValue)
    }

    private var rank: Int { isButton ? 2 : described.kind == .integer ? 1 : 0 }

    var isButton: Bool { described.kind == .button }
    var isReadOnly: Bool { described.isReadOnly }

    /// The least and the greatest value.
    var range: ClosedRange<Int64> { described.minimum...described.maximum }

    /// Returns the control with its accepted value.
    func description(_ configuration: VirtualCameraConfiguration, _ values: VirtualControlValues) -> DeviceControl {
        let behavior = configuration.controls
        var control = described
        control.step = behavior.step(of: self)
        control.defaultValue = behavior.rounded(control.defaultValue, self)
        if !isButton {
            control.value = behavior.rounded(VirtualSettings(configuration, values).value(of: self, values), self)
        }
        control.isInactive = need.map { values[$0.mode] != $0.value } ?? false
        return control
    }

    private var described: DeviceControl {
        switch self {
        case .autoExposure:
            DeviceControl(name: rawValue, kind: .menu, maximum: 1, defaultValue: 1, menu: Self.exposureModes)
        case .exposureTime:
            DeviceControl(
                name: rawValue, kind: .integer, minimum: 1, maximum: 100_000, defaultValue: 80, unit: "100 µs")
        case .gain:
            DeviceControl(name: rawValue, kind: .integer, minimum: -48, maximum: 48, unit: "dB")
        case .automaticWhiteBalance, .automaticFocus:
            DeviceControl(name: rawValue, kind: .boolean, maximum: 1, defaultValue: 1)
        case .whiteBalanceTemperature:
            DeviceControl(
                name: rawValue, kind: .integer, minimum: 2800, maximum: 10_000,
                defaultValue: WhiteBalance.sceneTemperature, unit: "K")
        case .focus:
            DeviceControl(name: rawValue, kind: .integer, maximum: 250)
        case .focusStart:
            DeviceControl(name: rawValue, kind: .button)
        case .focusStatus:
            DeviceControl(name: rawValue, kind: .bitmask, maximum: 7, isReadOnly: true)
        case .flash:
            DeviceControl(
                name: rawValue, kind: .menu, maximum: 2,
                menu: VirtualControlValues.Flash.allCases.map { .init(index: $0.rawValue, name: $0.name) })
        case .integer64:
            DeviceControl(name: rawValue, kind: .integer, minimum: .min, maximum: .max)
        case .redBalance, .blueBalance:
            DeviceControl(
                name: rawValue, kind: .integer, minimum: 32, maximum: 512, defaultValue: Self.neutralBalance)
        case .testPattern:
            DeviceControl(
                name: rawValue, kind: .menu, maximum: Int64(VirtualLook.Target.allCases.count - 1),
                menu: VirtualLook.Target.allCases.map { .init(index: $0.index, name: $0.rawValue) })
        }
    }
}

extension VirtualSettings {
    /// Returns the value that the driver reports: under an automatic mode, the one that the camera has chosen.
    fileprivate func value(of control: VirtualControl, _ values: VirtualControlValues) -> Int64 {
        guard configuration.controls.reportsAutomaticValues else { return values[control] }
        switch control {
        case .exposureTime: return max(Int64((configuration.exposureMilliseconds * 10).rounded()), 1)
        case .whiteBalanceTemperature where values.isAutoWhiteBalance: return WhiteBalance.sceneTemperature
        case .redBalance where values.isAutoWhiteBalance: return values.adaptation?.redBalance ?? values[control]
        case .blueBalance where values.isAutoWhiteBalance: return values.adaptation?.blueBalance ?? values[control]
        default: return values[control]
        }
    }
}
