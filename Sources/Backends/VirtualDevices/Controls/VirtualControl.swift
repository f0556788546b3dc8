import CameraKit
import CaptureModel
import Glibc

/// The controls of a virtual camera, under the names and numbers of V4L2.
enum VirtualControl: String, CaseIterable, Sendable {
    case autoExposure = "auto_exposure"
    case exposureTime = "exposure_time_absolute"
    case gain
    case flash = "flash_led_mode"
    /// As of the kernel's vivid: a value of `V4L2_CTRL_TYPE_INTEGER64`, which the picture does not depend on.
    case integer64 = "integer_64_bits"

    /// `V4L2_EXPOSURE_AUTO` and `V4L2_EXPOSURE_MANUAL`.
    private static let exposureModes = [
        DeviceControl.MenuItem(index: 0, name: "Auto Mode"), DeviceControl.MenuItem(index: 1, name: "Manual Mode"),
    ]

    /// Returns the control with its present value.
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
        case .integer64:
            DeviceControl(name: rawValue, kind: .integer, minimum: .min, maximum: .max)
        }
    }

    private func value(_ settings: VirtualSettings, _ modes: VirtualModes) -> Int64 {
        switch self {
        case .autoExposure: modes.isAutoExposure ? 0 : 1
        case .exposureTime: max(Int64((settings.configuration.exposureMilliseconds * 10).rounded()), 1)
        case .gain: Int64(settings.configuration.gainDecibels.rounded())
        case .flash: modes.flash.rawValue
        case .integer64: modes.integer64
        }
    }

    /// Sets the control to a value that has been checked.
    func set(_ value: Int64, _ configuration: inout VirtualCameraConfiguration, _ modes: inout VirtualModes) {
        switch self {
        case .autoExposure: modes.isAutoExposure = value == 0
        case .exposureTime: configuration.exposureMilliseconds = Double(value) / 10
        case .gain: configuration.gainDecibels = Double(value)
        case .flash: modes.flash = VirtualModes.Flash(rawValue: value) ?? .none
        case .integer64: modes.integer64 = value
        }
    }
}

extension VirtualDevice {
    /// Every control with its present value.
    var controls: [DeviceControl] {
        withSettings { configuration, modes in VirtualControl.allCases.map { $0.description(configuration, modes) } }
    }

    /// Sets controls by name, all or none. They take effect with the next planned frame.
    /// - Returns: The value of each afterwards.
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
                throw refused("'\(name)' does not accept \(value); it accepts \(description.domain)")
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
    /// The values that it accepts, as text for a sentence.
    fileprivate var domain: String {
        if !menu.isEmpty { return menu.map { "\($0.index) (\($0.name))" }.joined(separator: ", ") }
        return "\(minimum) to \(maximum)" + (unit.map { " (× \($0))" } ?? "")
    }
}

/// The settings of one frame of a virtual camera: the configuration as modified by its controls.
struct VirtualSettings: Hashable, Sendable {
    /// `exposureMilliseconds` is the exposure in use: under automatic exposure, the one chosen by the camera.
    var configuration: VirtualCameraConfiguration
    /// Factor on the light of the scene: above 1 if the flash LED lights it.
    var illumination: Double

    /// The exposure at which the scene has its normal brightness, without gain and LED.
    static let nominalExposureMilliseconds = 8.0

    init(_ configuration: VirtualCameraConfiguration, _ modes: VirtualModes) {
        self.configuration = configuration
        illumination = modes.flash.illumination
        guard modes.isAutoExposure else { return }
        let light = Self.amplification(configuration.gainDecibels) * illumination
        self.configuration.exposureMilliseconds = min(max(Self.nominalExposureMilliseconds / light, 0.01), 10_000)
    }

    /// Returns the brightness of the scene in a frame with this exposure: the collected light, and its amplification.
    func brightness(exposure: Duration) -> Double {
        exposure.seconds * 1000 / Self.nominalExposureMilliseconds * Self.amplification(configuration.gainDecibels)
            * illumination
    }

    /// Returns the factor of a gain: 20 dB are a factor of ten.
    private static func amplification(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}

/// The settings of a virtual camera that are not keys of its configuration. Kept from stream to stream, like in
/// hardware.
struct VirtualModes: Hashable, Sendable {
    /// Whether the camera chooses the exposure for a scene of normal brightness.
    var isAutoExposure = false
    var flash = Flash.none
    /// Any value.
    var integer64: Int64 = 0

    /// `V4L2_CID_FLASH_LED_MODE`. The sensor fires the flash, so in either mode every exposure is lit.
    enum Flash: Int64, Hashable, Sendable, CaseIterable {
        case none = 0
        case flash = 1
        case torch = 2

        var illumination: Double {
            switch self {
            case .none: 1
            case .flash: 2
            case .torch: 1.5
            }
        }

        var name: String {
            switch self {
            case .none: "Off"
            case .flash: "Flash"
            case .torch: "Torch"
            }
        }
    }
}
