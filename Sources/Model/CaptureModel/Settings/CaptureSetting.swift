/// A setting of a camera, in the words of AVFoundation. ``SettingMapping`` says which V4L2 controls are behind each.
public enum CaptureSetting: String, Hashable, Codable, Sendable, CaseIterable {
    case exposureMode
    case exposureDuration
    case exposureBias
    case exposurePointOfInterest
    case iso
    case gain
    case whiteBalanceMode
    case whiteBalanceTemperature
    case whiteBalanceTint
    case whiteBalanceGains
    case focusMode
    case lensPosition
    case focusPointOfInterest
    case refocusOnSceneChange
    case zoomFactor
    case iris
    case pan
    case tilt
    case torchLevel
    case powerLineFrequency
    case backlightCompensation
    case sharpness
    case contrast
    case gamma
    case saturation
    case exposureDynamicFrameRate
    case format
    case minimumFrameDuration
    case maximumFrameDuration
}

extension CaptureSetting {
    /// Short names that the text grammar also accepts. Documents never have them; tables for people do.
    public static let shortNames: [String: CaptureSetting] = [
        "exposure": .exposureDuration, "bias": .exposureBias, "wb": .whiteBalanceTemperature,
        "zoom": .zoomFactor, "torch": .torchLevel, "backlight": .backlightCompensation,
    ]

    /// Returns the setting of this name or short name.
    public init?(name: String) {
        guard let setting = CaptureSetting(rawValue: name) ?? Self.shortNames[name] else { return nil }
        self = setting
    }

    /// What a value of this setting may be, besides `current`.
    public var form: SettingForm {
        switch self {
        case .exposureMode: .mode([.auto, .locked, .manual, .shutterPriority, .aperturePriority])
        case .whiteBalanceMode: .mode([.auto, .locked, .manual])
        case .focusMode: .mode([.auto, .locked, .manual, .once])
        case .powerLineFrequency: .mode([.off, .hertz50, .hertz60, .auto])
        case .exposureDynamicFrameRate, .refocusOnSceneChange: .mode([.off, .on])
        case .exposureDuration: .number(.duration)
        case .exposureBias: .number(.exposureValue)
        case .iso: .number(.iso)
        case .gain: .number(.decibel)
        case .whiteBalanceTemperature: .number(.kelvin)
        case .whiteBalanceTint: .number(.tint)
        case .zoomFactor: .number(.factor)
        case .iris: .number(.fNumber)
        case .pan, .tilt: .number(.angle)
        case .lensPosition, .torchLevel: .position
        case .backlightCompensation, .sharpness, .contrast, .gamma, .saturation: .number(nil)
        case .whiteBalanceGains: .gains
        case .exposurePointOfInterest, .focusPointOfInterest: .point
        case .format: .format
        case .minimumFrameDuration, .maximumFrameDuration: .frameDuration
        }
    }
}

/// The values that a setting may have.
public enum SettingForm: Hashable, Sendable {
    /// One of these words, or a raw value.
    case mode([SettingMode])
    /// A quantity of this unit, a fraction of the range, or a raw value. Without a unit: the latter two.
    case number(PhysicalUnit?)
    /// A position from 0 to 1, which is a fraction of the range, or a raw value.
    case position
    case gains
    case point
    case format
    /// A time, of the stream instead of a control.
    case frameDuration

    /// What the text grammar accepts, as text for a sentence.
    public var accepted: String {
        switch self {
        case .mode(let modes): modes.map(\.rawValue).joined(separator: ", ") + ", raw:N or current"
        case .number(let unit?): "\(unit.example), 40%, raw:N or current"
        case .number(nil): "40%, raw:N or current; it has no unit"
        case .position: "0 to 1, 40%, raw:N or current"
        case .gains: "red, green and blue, such as 1.9,1,1.6, or current"
        case .point: "x and y from 0 to 1, such as 0.5,0.25, or current"
        case .format: "a pixel format and a size, such as MJPG:1280x720, or current"
        case .frameDuration: "\(PhysicalUnit.duration.example) or current"
        }
    }
}

/// A word that is the value of a setting.
public enum SettingMode: String, Hashable, Codable, Sendable, CaseIterable {
    /// The camera controls the value continuously.
    case auto
    /// The camera keeps the value that it has.
    case locked
    /// The value is the one that was set: AVFoundation's `custom`.
    case manual
    /// The camera chooses the value once, and keeps it: AVFoundation's `autoFocus`.
    case once
    /// The exposure time is set, the camera controls the aperture.
    case shutterPriority
    /// The aperture is set, the camera controls the exposure time.
    case aperturePriority
    case off
    case on
    case hertz50 = "50Hz"
    case hertz60 = "60Hz"
}
