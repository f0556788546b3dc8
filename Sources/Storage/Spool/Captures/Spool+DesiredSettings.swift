public import CaptureModel
internal import FoundationEssentials
internal import Glibc
internal import PosixSupport
internal import ShotDocuments

/// The settings that cameras are to have, kept so that they get them again after the agent's end.
extension Spool {
    private static let desiredByteLimit = 65_536

    /// Stores what a camera is to have durably, in place of what was stored before.
    /// - Parameter desired: nil removes it.
    /// - Throws: `noSpace`, `inputOutput`.
    public func keepDesired(_ desired: DesiredSettings?, of device: DeviceID) throws(SpoolError) {
        let name = SpoolNames.controls(device)
        let content = try desired.map { (desired) throws(SpoolError) in try DesiredSettingsDocument(desired).encoded() }
        do throws(PosixError) {
            if let content {
                desiredNames.withLock { _ = $0.insert(name) }
                try settings.publish([content], as: name)
            } else if mayKeepDesired(of: device) {
                try settings.remove(name)
                try settings.sync()
                desiredNames.withLock { _ = $0.remove(name) }
            }
        } catch {
            throw SpoolError(error, room: try? settings.room())
        }
    }

    /// Returns whether something may be stored for a camera, without waiting for the disk.
    public nonisolated func mayKeepDesired(of device: DeviceID) -> Bool {
        desiredNames.withLock { $0.contains(SpoolNames.controls(device)) }
    }

    /// Returns what a camera is to have; nil if nothing is stored.
    /// - Throws: `inputOutput` if it cannot be read; `invalidRequest` if it is damaged, or of a newer version. It is then moved to `damaged/`.
    public func desired(of device: DeviceID) throws(SpoolError) -> DesiredSettings? {
        let name = SpoolNames.controls(device)
        let bytes: [UInt8]
        do {
            bytes = try settings.read(name, limit: Self.desiredByteLimit)
        } catch {
            if error.code == ENOENT { return nil }
            throw SpoolError(error)
        }
        guard let document = DesiredSettingsDocument(bytes), let value = try? document.value else {
            let kept: String
            do throws(PosixError) {
                kept = try settings.setAside(name, in: damaged, as: "settings.\(name)")
                for folder in [damaged, settings] { try folder.sync() }
            } catch {
                throw SpoolError(error)
            }
            desiredNames.withLock { _ = $0.remove(name) }
            throw SpoolError(
                .invalidRequest, "read", device,
                "\(settings.path(of: name)) is damaged, or a newer version has written it, so \(device) does not get its settings again; set them again. The file is \(damaged.path(of: kept)) now"
            )
        }
        return value
    }
}

/// The content of a file in `settings/`.
private struct DesiredSettingsDocument: Codable {
    static let currentSchemaVersion = 1

    var schemaVersion = Self.currentSchemaVersion
    var revision: SettingsID?
    var make: String?
    var model: String?
    var values: [String: Int64]
    /// Absent if empty.
    var deferred: [Deferred]?
    /// Absent if empty. Earlier versions ignore it.
    var givenUp: [SettingsID]?

    struct Deferred: Codable {
        var id: SettingsID
        /// In the grammar of docs/settings.md.
        var settings: String

        private enum CodingKeys: String, CodingKey {
            case id = "id"
            case settings = "settings"
        }
    }

    private enum CodingKeys: String, CodingKey {
        case schemaVersion = "schemaVersion"
        case revision = "revision"
        case make = "make"
        case model = "model"
        case values = "values"
        case deferred = "deferred"
        case givenUp = "givenUp"
    }

    init(_ value: DesiredSettings) {
        (revision, make, model, values) = (value.revision, value.make, value.model, value.values)
        let waiting = value.deferred.map { Deferred(id: $0.id, settings: "\($0.settings)") }
        deferred = waiting.isEmpty ? nil : waiting
        givenUp = value.givenUp.isEmpty ? nil : value.givenUp
    }

    /// - Returns: nil if the bytes are not such a file, or a newer version's.
    init?(_ bytes: [UInt8]) {
        guard let read = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            read.schemaVersion == Self.currentSchemaVersion
        else { return nil }
        self = read
    }

    func encoded() throws(SpoolError) -> [UInt8] {
        try StoredJSON.spoolDocument(self, "the file of a camera's settings")
    }

    var value: DesiredSettings {
        get throws(SettingsTextError) {
            DesiredSettings(
                revision: revision, make: make, model: model, values: values,
                deferred: try (deferred ?? []).map { (waiting) throws(SettingsTextError) in
                    DeferredSettings(id: waiting.id, settings: try CaptureSettings(parsing: waiting.settings))
                }, givenUp: givenUp ?? [])
        }
    }
}
