internal import CameraSettings
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// Settings in words for people, such as `exposure 8 ms, gain 40 %`.
///
/// A settings transaction records the values before it as values of the driver's controls. With what a camera says of its
/// controls, they read as settings again.
struct SettingWords {
    /// What cameras have said of themselves. The others keep the driver's names.
    var cameras: [DeviceID: DeviceDetails] = [:]

    /// The entries of a camera's settings, separated by commas.
    func text(of settings: CaptureSettings, for device: DeviceID) -> String {
        let controls = settings.entries.compactMap { entry -> DriverRequest? in
            if case .driver(let request) = entry { request } else { nil }
        }
        let words = cameras[device].map { Self.words(of: controls, $0) } ?? [:]
        var told: Set<CaptureSetting> = []
        let parts = settings.entries.compactMap { entry -> String? in
            switch entry {
            case .setting(let request): return Self.text(of: request)
            case .driver(let request):
                guard let word = words[request.name] else { return Self.text(of: request) }
                return told.insert(word.setting).inserted ? "\(Self.name(of: word.setting)) \(word.value)" : nil
            }
        }
        return parts.joined(separator: ", ")
    }

    /// An entry and the value that a camera has accepted for it, each in words.
    func cells(of entry: CaptureSettings.Entry, _ value: SettingValue?, for device: DeviceID) -> (String, String?) {
        switch entry {
        case .setting(let request): return (Self.name(of: request.setting), value.map(Self.text(of:)))
        case .driver(let request):
            guard let details = cameras[device], let word = Self.words(of: [request], details)[request.name] else {
                return (entry.name, value.map(Self.text(of:)))
            }
            return (Self.name(of: word.setting), value == nil ? nil : word.value)
        }
    }

    /// A name and a value of the grammar, each in words; the texts themselves if they are not an entry.
    func cells(_ name: String, _ value: String?, for device: DeviceID) -> (String, String?) {
        guard let entry = try? CaptureSettings.Entry(parsing: "\(name)=\(value ?? "0")") else { return (name, value) }
        switch entry {
        case .setting(let request): return cells(of: entry, value == nil ? nil : request.value, for: device)
        case .driver(let request): return cells(of: entry, value == nil ? nil : .raw(request.value), for: device)
        }
    }

    /// A setting and its value: `exposure 8 ms`.
    static func text(of request: SettingRequest) -> String {
        "\(name(of: request.setting)) \(text(of: request.value))"
    }

    /// The short name of a setting if it has one.
    static func name(of setting: CaptureSetting) -> String {
        CaptureSetting.shortNames.first { $0.value == setting }?.key ?? setting.rawValue
    }

    /// A value as people write it, with a space between the number and its unit.
    static func text(of value: SettingValue) -> String {
        let text = value.description
        switch value {
        case .quantity, .fraction:
            let number = text.prefix { !$0.isLetter && $0 != "%" }
            let unit = text.dropFirst(number.count)
            return number.isEmpty || unit.isEmpty ? text : "\(number) \(unit)"
        case .raw(let value): return "\(value)"
        case .mode, .gains, .point, .format, .current: return text
        }
    }

    private static func text(of request: DriverRequest) -> String { "driver.\(request.name) \(request.value)" }

    /// The settings that controls of these values are, by the names of the controls.
    private static func words(
        of requests: [DriverRequest], _ details: DeviceDetails
    ) -> [String: (setting: CaptureSetting, value: String)] {
        guard var capabilities = details.capabilities else { return [:] }
        let values = Dictionary(requests.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        for index in capabilities.controls.indices {
            if let value = values[capabilities.controls[index].name] { capabilities.controls[index].value = value }
        }
        var words: [String: (setting: CaptureSetting, value: String)] = [:]
        for setting in SettableCamera(details, capabilities, catalogue: .shipped).supportedSettings {
            guard let value = setting.current else { continue }
            for control in setting.controls where values[control] != nil && words[control] == nil {
                words[control] = (setting.setting, text(of: value))
            }
        }
        return words
    }
}

extension RigClient {
    /// How long a camera may take to describe itself, for words that the table can do without.
    private static let patience = Duration.seconds(2)

    /// Asks the cameras whose settings name driver's controls what these are; a camera that does not answer keeps its names.
    nonisolated func words(
        for settings: [(device: DeviceID, entries: [CaptureSettings.Entry])]
    ) async -> SettingWords {
        let devices = Set(settings.filter { $0.entries.contains(where: \.isOfDriver) }.map(\.device))
        let cameras = await withTaskGroup(of: DeviceDetails?.self) { group in
            for device in devices {
                group.addTask { try? await self.describe(device, timeout: Self.patience) }
            }
            var cameras: [DeviceID: DeviceDetails] = [:]
            for await details in group { if let details { cameras[details.device.id] = details } }
            return cameras
        }
        return SettingWords(cameras: cameras)
    }
}

extension CaptureSettings.Entry {
    fileprivate var isOfDriver: Bool { if case .driver = self { true } else { false } }
}
