/// The settings that are requested of a camera, in the order in which they were named: each at most once.
public struct CaptureSettings: Hashable, Sendable {
    /// One entry: a common setting, or a control by its driver's name.
    public enum Entry: Hashable, Sendable {
        case setting(SettingRequest)
        case driver(DriverRequest)
    }

    public private(set) var entries: [Entry] = []

    /// The most entries.
    public static let limit = 64

    public init() {}

    /// Names controls by their driver's names, in the order of the names.
    /// - Returns: nil if there are too many, or a name is none of a control.
    public init?(driverValues values: [String: Int64]) {
        guard values.count <= Self.limit else { return nil }
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let request = DriverRequest(name, value) else { return nil }
            entries.append(.driver(request))
        }
        guard description.utf8.count <= Self.textLimit else { return nil }
    }

    /// Adds a request.
    /// - Throws: ``SettingsTextError`` if it has this setting already, too many, or too long a text.
    public mutating func add(_ entry: Entry) throws(SettingsTextError) {
        guard !entries.contains(where: { $0.name == entry.name }) else {
            throw SettingsTextError(
                setting: entry.name, text: entry.description, reason: "names it a second time", accepted: "one value")
        }
        guard entries.count < Self.limit else {
            throw SettingsTextError(
                setting: entry.name, text: entry.description, reason: "is one more than allowed",
                accepted: "at most \(Self.limit) settings")
        }
        let length = entries.reduce(entry.description.utf8.count) { $0 + $1.description.utf8.count + 1 }
        guard length <= Self.textLimit else {
            throw SettingsTextError(
                setting: entry.name, text: entry.description, reason: "makes the text too long",
                accepted: "at most \(Self.textLimit) bytes")
        }
        entries.append(entry)
    }

    /// Returns these entries and others. An entry of the others replaces one of the same name.
    /// - Throws: ``SettingsTextError`` if there are too many.
    public func replacing(with others: CaptureSettings) throws(SettingsTextError) -> CaptureSettings {
        let names = Set(others.entries.map(\.name))
        var all = CaptureSettings()
        for entry in entries where !names.contains(entry.name) { try all.add(entry) }
        for entry in others.entries { try all.add(entry) }
        return all
    }

    /// Returns the value that is requested of a setting.
    public subscript(setting: CaptureSetting) -> SettingValue? {
        for case .setting(let request) in entries where request.setting == setting { return request.value }
        return nil
    }

    /// Whether an entry is a setting of the stream, which may have to be opened again for it.
    public var concernsStream: Bool {
        self[.format] != nil || self[.minimumFrameDuration] != nil || self[.maximumFrameDuration] != nil
    }
}

/// A driver's control by its own name, such as `hue`, with the value to set.
public struct DriverRequest: Hashable, Sendable, CustomStringConvertible {
    /// As ``DeviceControl/name`` spells it.
    public let name: String
    public let value: Int64

    /// Returns nil if no control can have this name: 1 to 64 of a to z, 0 to 9 and `_`.
    public init?(_ name: String, _ value: Int64) {
        let isSpelled = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "_")
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isSpelled, (1...64).contains(name.utf8.count) else { return nil }
        self.name = name
        self.value = value
    }

    public var description: String { "driver.\(name)=\(value)" }
}

extension CaptureSettings.Entry: CustomStringConvertible {
    /// The name before the equals sign.
    public var name: String {
        switch self {
        case .setting(let request): request.setting.rawValue
        case .driver(let request): "driver.\(request.name)"
        }
    }

    public var description: String {
        switch self {
        case .setting(let request): request.description
        case .driver(let request): request.description
        }
    }
}
