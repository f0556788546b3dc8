public import CaptureModel
public import RigConfiguration

/// Settings for all cameras and for single ones, as people write them: YAML or JSON. docs/settings.md describes the keys.
public struct SettingsFile: Hashable, Sendable {
    /// Of every camera; empty if the file has none.
    public var all: CaptureSettings
    /// Of single cameras.
    public var cameras: [DeviceID: CaptureSettings]

    /// Reads a file.
    /// - Parameter file: Its name, for errors.
    /// - Throws: ``ConfigurationError`` with every mistake and its position.
    public init(parsing text: String, file: String) throws(ConfigurationError) {
        self = try YAMLDocument.parse(text, file: file) { SettingsFile($0) }
    }

    /// Every camera if the file has settings for all; otherwise those that it names.
    public var selection: Selection { Selection(devices: all.entries.isEmpty ? cameras.keys.sorted() : []) }

    private init?(_ file: YAMLMapping) {
        let common = file.value("all")
        all = common.flatMap(Self.settings) ?? CaptureSettings()
        cameras = [:]
        let own = file.value("cameras")
        if let named = own?.mapping() {
            guard named.names.count <= SettingsProfile.cameraLimit else {
                named.report(.badValue, "names more than \(SettingsProfile.cameraLimit) cameras")
                return nil
            }
            for name in named.names { read(name, named.value(name)) }
        }
        guard all.entries.isEmpty, cameras.isEmpty else { return }
        // What is there is wrong, and reported.
        if common == nil, own.map(\.isEmptyMapping) != false {
            file.report(.missingKey, "has no settings; give some under 'all', or under 'cameras' by NODE/DEVICE")
        }
        return nil
    }

    private mutating func read(_ name: String, _ value: YAMLValue?) {
        guard let value else { return }
        guard let device = try? DeviceID(name) else {
            return value.report(.badValue, "'\(name.prefix(64))' is not the id of a camera, such as north/cam1")
        }
        guard let settings = Self.settings(value) else { return }
        cameras[device] = settings
    }

    /// Reads a mapping of names to values, or the text of settings.
    /// - Returns: nil, with a reported problem, if it is neither, or has no entry.
    private static func settings(_ value: YAMLValue) -> CaptureSettings? {
        guard value.isMapping else { return value.scalar(.settings) }
        guard let mapping = value.mapping() else { return nil }
        var settings = CaptureSettings()
        for name in mapping.names {
            guard let entry = mapping.value(name), let text = entry.scalar(.any) else { continue }
            do throws(SettingsTextError) {
                try settings.add(CaptureSettings.Entry(parsing: "\(name)=\(text)"))
            } catch {
                entry.report(.badValue, "\(error)")
            }
        }
        guard !settings.entries.isEmpty else {
            if mapping.names.isEmpty { value.report(.missingKey, "has no settings") }
            return nil
        }
        return settings
    }
}

extension Scalar<String> {
    /// Whatever it says.
    fileprivate static var any: Scalar { Scalar { (text) throws(ScalarFault) in text } }
}

extension Scalar<CaptureSettings> {
    /// The text of settings, such as `exposure=8ms gain=40%`.
    fileprivate static var settings: Scalar {
        Scalar { text throws(ScalarFault) in
            let settings: CaptureSettings
            do throws(SettingsTextError) {
                settings = try CaptureSettings(parsing: text)
            } catch {
                throw ScalarFault("\(error)")
            }
            guard !settings.entries.isEmpty else { throw ScalarFault("has no settings") }
            return settings
        }
    }
}
