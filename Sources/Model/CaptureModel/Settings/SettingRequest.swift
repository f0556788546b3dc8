/// A setting with the value that is requested of it. The value is always one that the setting can have.
public struct SettingRequest: Hashable, Sendable {
    public let setting: CaptureSetting
    public let value: SettingValue

    /// Returns nil if the setting has no such values, such as a mode word for a duration.
    public init?(_ setting: CaptureSetting, _ value: SettingValue) {
        guard setting.form.accepts(value) else { return nil }
        self.setting = setting
        self.value = value
    }

    /// Reads a value as ``SettingValue/description`` writes it.
    /// - Throws: ``SettingsTextError`` that states what the setting accepts.
    public init(_ setting: CaptureSetting, parsing text: String) throws(SettingsTextError) {
        guard let value = setting.form.value(text) else {
            throw SettingsTextError(
                setting: setting.rawValue, text: text, reason: "is not a value of it",
                accepted: setting.form.accepted)
        }
        self.setting = setting
        self.value = value
    }
}

extension SettingValue {
    /// Reads a value of an entry as ``description`` writes it.
    /// - Throws: ``SettingsTextError`` that states what the entry accepts.
    public init(_ entry: CaptureSettings.Entry, parsing text: String) throws(SettingsTextError) {
        switch entry {
        case .setting(let request): self = try SettingRequest(request.setting, parsing: text).value
        case .driver:
            guard let value = SettingForm.raw(text) else {
                throw SettingsTextError(
                    setting: entry.name, text: text, reason: "is not a value of it", accepted: "raw:N")
            }
            self = value
        }
    }
}

extension SettingRequest: CustomStringConvertible {
    public var description: String { "\(setting.rawValue)=\(value)" }
}

extension SettingForm {
    func accepts(_ value: SettingValue) -> Bool {
        switch (self, value) {
        case (_, .current), (.gains, .gains), (.point, .point), (.format, .format): true
        case (.mode(let modes), .mode(let mode)): modes.contains(mode)
        case (.mode, .raw), (.number, .raw), (.position, .raw), (.number, .fraction), (.position, .fraction): true
        case (.number(let unit), .quantity(let quantity)): quantity.unit == unit
        case (.frameDuration, .quantity(let quantity)): quantity.unit == .duration
        default: false
        }
    }

    func value(_ text: String) -> SettingValue? {
        if text == "current" { return .current }
        switch self {
        case .mode(let modes):
            return modes.first { $0.rawValue == text }.map(SettingValue.mode) ?? Self.raw(text)
        case .number(let unit):
            if let value = Self.raw(text) ?? Self.fraction(text) { return value }
            return unit.flatMap { PhysicalQuantity(parsing: text, as: $0) }.map(SettingValue.quantity)
        case .position:
            if let value = Self.raw(text) ?? Self.fraction(text) { return value }
            return DecimalText.parse(text, digits: 6).flatMap(RangeFraction.init(millionths:)).map(
                SettingValue.fraction)
        case .gains: return WhiteBalanceGains(parsing: text).map(SettingValue.gains)
        case .point: return PointOfInterest(parsing: text).map(SettingValue.point)
        case .format: return RequestedFormat(parsing: text).map(SettingValue.format)
        case .frameDuration: return PhysicalQuantity(parsing: text, as: .duration).map(SettingValue.quantity)
        }
    }

    fileprivate static func raw(_ text: String) -> SettingValue? {
        guard text.hasPrefix("raw:") else { return nil }
        return DecimalText.parse(text.dropFirst(4), digits: 0).map(SettingValue.raw)
    }

    private static func fraction(_ text: String) -> SettingValue? {
        RangeFraction(percent: text).map(SettingValue.fraction)
    }
}
