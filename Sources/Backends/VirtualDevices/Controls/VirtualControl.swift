import CaptureModel

/// The controls of a virtual camera, under the names and numbers of V4L2.
enum VirtualControl: String, CaseIterable, Sendable {
    case autoExposure = "auto_exposure"
    case exposureTime = "exposure_time_absolute"
    case gain
    case flash = "flash_led_mode"

    /// `V4L2_EXPOSURE_AUTO` and `V4L2_EXPOSURE_MANUAL`.
    private static let exposureModes = [
        DeviceControl.MenuItem(index: 0, name: "Auto Mode"), DeviceControl.MenuItem(index: 1, name: "Manual Mode"),
    ]

    /// The control as it stands.
    func description(_ configuration: VirtualCameraConfiguration, _ modes: VirtualModes) -> DeviceControl {
        var control = described
        control.value = value(VirtualSettings(configuration, modes), modes)
        control.isInactive = self == .exposureTime && modes.isAutoExposure
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
        case .flash:
            DeviceControl(
                name: rawValue, kind: .menu, maximum: 2,
                menu: VirtualModes.Flash.allCases.map { .init(index: $0.rawValue, name: $0.name) })
        }
    }

    private func value(_ settings: VirtualSettings, _ modes: VirtualModes) -> Int64 {
        switch self {
        case .autoExposure: modes.isAutoExposure ? 0 : 1
        case .exposureTime: max(Int64((settings.configuration.exposureMilliseconds * 10).rounded()), 1)
        case .gain: Int64(settings.configuration.gainDecibels.rounded())
        case .flash: modes.flash.rawValue
        }
    }

    /// Gives the control a value that has been checked.
    func set(_ value: Int64, _ configuration: inout VirtualCameraConfiguration, _ modes: inout VirtualModes) {
        switch self {
        case .autoExposure: modes.isAutoExposure = value == 0
        case .exposureTime: configuration.exposureMilliseconds = Double(value) / 10
        case .gain: configuration.gainDecibels = Double(value)
        case .flash: modes.flash = VirtualModes.Flash(rawValue: value) ?? .none
        }
    }
}
