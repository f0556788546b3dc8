/// The text grammar: `exposure=8ms gain=6dB wb=5200K driver.hue=3`.
extension CaptureSettings: CustomStringConvertible {
    /// The most bytes of a text.
    public static let textLimit = 4096

    /// Reads entries between spaces.
    /// - Throws: ``SettingsTextError`` that names the setting, the text and what is accepted.
    public init(parsing text: String) throws(SettingsTextError) {
        guard text.utf8.count <= Self.textLimit else {
            throw SettingsTextError(
                setting: nil, text: text, reason: "is too long", accepted: "at most \(Self.textLimit) bytes")
        }
        try self.init(parsing: text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    /// Reads one entry of each text, such as the arguments of a command.
    /// - Throws: ``SettingsTextError`` that names the setting, the text and what is accepted.
    public init(parsing texts: [String]) throws(SettingsTextError) {
        self.init()
        for text in texts { try add(Entry(parsing: text)) }
    }

    /// The text of all entries. Reading it gives the same settings.
    public var description: String { entries.map(\.description).joined(separator: " ") }
}

extension CaptureSettings.Entry {
    /// Reads `NAME=VALUE` or `driver.NAME=VALUE`.
    /// - Throws: ``SettingsTextError``
    public init(parsing text: String) throws(SettingsTextError) {
        guard let equals = text.firstIndex(of: "=") else {
            throw SettingsTextError(
                setting: nil, text: text, reason: "has no '='", accepted: "NAME=VALUE, such as exposure=8ms")
        }
        let (name, value) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
        if name.hasPrefix("driver.") {
            self = .driver(try Self.driver(String(name.dropFirst("driver.".count)), value))
            return
        }
        guard let setting = CaptureSetting(name: name) else {
            let names = CaptureSetting.allCases.map(\.rawValue)
            let question = Spelling.question(for: name, among: names + CaptureSetting.shortNames.keys.sorted())
            throw SettingsTextError(
                setting: nil, text: name, reason: "is not a setting" + question,
                accepted: "\(names.joined(separator: ", ")), or driver.NAME")
        }
        self = .setting(try SettingRequest(setting, parsing: value))
    }

    private static func driver(_ name: String, _ text: String) throws(SettingsTextError) -> DriverRequest {
        guard let value = integer(text) else {
            throw SettingsTextError(
                setting: "driver.\(name)", text: text, reason: "is not a value of it",
                accepted: "an integer of 64 bits, such as 37 or 0x25")
        }
        guard let request = DriverRequest(name, value) else {
            throw SettingsTextError(
                setting: nil, text: "driver.\(name)", reason: "is not the name of a control",
                accepted: "1 to 64 of a to z, 0 to 9 and '_', as 'capctl devices show -o wide' lists them")
        }
        return request
    }

    private static func integer(_ text: String) -> Int64? {
        text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : DecimalText.parse(text, digits: 0)
    }
}
