import CaptureModel
import Glibc

/// The values of all controls of a virtual camera at one time. Kept from stream to stream, like in hardware.
struct VirtualControlValues: Hashable, Sendable {
    /// Under automatic exposure, without effect.
    var exposureMilliseconds: Double
    var gainDecibels: Double
    /// Whether the camera chooses the exposure for a scene of normal brightness.
    var isAutoExposure = false
    /// Whether the camera balances the scene's light.
    var isAutoWhiteBalance = true
    /// In kelvins; under automatic white balance, without effect.
    var whiteBalanceTemperature = WhiteBalance.sceneTemperature
    var isAutoFocus = true
    var focus: Int64 = 0
    var autofocus = VirtualAutofocus()
    var flash = Flash.none
    /// Any value.
    var integer64: Int64 = 0
    /// Of a camera with a look; under automatic white balance, without effect.
    var redBalance = VirtualControl.neutralBalance
    var blueBalance = VirtualControl.neutralBalance
    var target = VirtualLook.Target.card
    /// What the automatic modes of a camera with a look have reached; nil without a look.
    var adaptation: VirtualAdaptation?

    /// Creates the values of a camera that was just connected.
    init(_ configuration: VirtualCameraConfiguration) {
        (exposureMilliseconds, gainDecibels) = (configuration.exposureMilliseconds, configuration.gainDecibels)
        round(as: configuration.controls)
        guard let look = configuration.look else { return }
        target = look.target
        adaptation = VirtualAdaptation(self)
    }

    /// Changes exposure and gain to those of a configuration.
    mutating func adopt(_ configuration: VirtualCameraConfiguration) {
        (exposureMilliseconds, gainDecibels) = (configuration.exposureMilliseconds, configuration.gainDecibels)
        round(as: configuration.controls)
    }

    private mutating func round(as behavior: VirtualControlBehavior) {
        for control in VirtualControl.stepped where behavior.step(of: control) > 1 {
            self[control] = behavior.rounded(self[control], control)
        }
    }

    /// A control's value in the numbers of its driver.
    subscript(control: VirtualControl) -> Int64 {
        get {
            switch control {
            case .autoExposure: isAutoExposure ? 0 : 1
            case .exposureTime: max(Int64((exposureMilliseconds * 10).rounded()), 1)
            case .gain: Int64(gainDecibels.rounded())
            case .automaticWhiteBalance: isAutoWhiteBalance ? 1 : 0
            case .whiteBalanceTemperature: whiteBalanceTemperature
            case .automaticFocus: isAutoFocus ? 1 : 0
            case .focus: focus
            case .focusStart: 0
            case .focusStatus: autofocus.status
            case .flash: flash.rawValue
            case .integer64: integer64
            case .redBalance: redBalance
            case .blueBalance: blueBalance
            case .testPattern: target.index
            }
        }
        set {
            switch control {
            case .autoExposure: isAutoExposure = newValue == 0
            case .exposureTime: exposureMilliseconds = Double(newValue) / 10
            case .gain: gainDecibels = Double(newValue)
            case .automaticWhiteBalance: isAutoWhiteBalance = newValue != 0
            case .whiteBalanceTemperature: whiteBalanceTemperature = newValue
            case .automaticFocus:
                isAutoFocus = newValue != 0
                if isAutoFocus { autofocus.stop() }
            case .focus:
                focus = newValue
                autofocus.stop()
            case .focusStart, .focusStatus: break
            case .flash: flash = Flash(rawValue: newValue) ?? .none
            case .integer64: integer64 = newValue
            case .redBalance: redBalance = newValue
            case .blueBalance: blueBalance = newValue
            case .testPattern: target = VirtualLook.Target.allCases.first { $0.index == newValue } ?? .card
            }
        }
    }

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

extension VirtualCameraConfiguration {
    /// Returns the configuration with the exposure and gain of controls.
    func with(_ values: VirtualControlValues) -> VirtualCameraConfiguration {
        var changed = self
        (changed.exposureMilliseconds, changed.gainDecibels) = (values.exposureMilliseconds, values.gainDecibels)
        return changed
    }
}

/// The settings of one frame of a virtual camera: the configuration as modified by the values of its controls.
struct VirtualSettings: Hashable, Sendable {
    /// `exposureMilliseconds` is the exposure in use: under automatic exposure, the one chosen by the camera.
    var configuration: VirtualCameraConfiguration
    /// The values of the controls in force.
    let values: VirtualControlValues
    /// Factor on the light of the scene: above 1 if the flash LED lights it.
    var illumination: Double
    var whiteBalance: WhiteBalance
    /// How a camera with a look shows its target, but for exposure and light; nil without a look.
    var lens: LookLens?

    /// The exposure at which the scene has its normal brightness, without gain and LED.
    static let nominalExposureMilliseconds = 8.0

    init(_ configuration: VirtualCameraConfiguration, _ values: VirtualControlValues) {
        self.values = values
        self.configuration = configuration.with(values)
        illumination = values.flash.illumination
        whiteBalance = values.isAutoWhiteBalance ? .neutral : WhiteBalance(temperature: values.whiteBalanceTemperature)
        if let look = configuration.look, let adaptation = values.adaptation {
            lens = LookLens(look, values, adaptation)
            if values.isAutoExposure { self.configuration.exposureMilliseconds = adaptation.exposureMilliseconds }
            return
        }
        guard values.isAutoExposure else { return }
        let light = Self.amplification(values.gainDecibels) * illumination
        self.configuration.exposureMilliseconds = min(max(Self.nominalExposureMilliseconds / light, 0.01), 10_000)
    }

    /// Returns the brightness of the scene in a frame with this exposure: the collected light, and its amplification.
    func brightness(exposure: Duration) -> Double {
        exposure.seconds * 1000 / Self.nominalExposureMilliseconds * Self.amplification(configuration.gainDecibels)
            * illumination
    }

    /// Returns the factor of a gain: 20 dB are a factor of ten.
    static func amplification(_ decibels: Double) -> Double { pow(10, decibels / 20) }
}
