package import CaptureModel
import FaultPoints
import Foundation
package import PosixSupport

/// The persistent part of the roster: `roster.json` in the coordinator's state folder.
package struct RosterFile: Sendable {
    /// The content of the file.
    private struct Document: Codable {
        var schemaVersion = RosterFile.schemaVersion
        var devices: [DeviceDescription]
    }

    static let name = "roster.json"
    private static let schemaVersion = 1
    private static let limit = 16 << 20
    private let folder: Folder

    package init(folder: Folder) {
        self.folder = folder
    }

    /// The devices last written; none where there is no file.
    /// - Throws: When the file is there and cannot be read: a rig that forgets its cameras silently would be worse.
    package func read() throws -> [DeviceDescription] {
        guard try folder.entry(Self.name) != nil else { return [] }
        let bytes = try folder.read(Self.name, limit: Self.limit)
        return try Self.devices(in: Data(bytes), of: folder.path(of: Self.name))
    }

    /// The devices in the content of the file at `path`.
    static func devices(in content: Data, of path: String) throws -> [DeviceDescription] {
        let document: Document
        do {
            document = try JSONDecoder().decode(Document.self, from: content)
        } catch {
            throw DamagedRoster(path: path, reason: "\(error)")
        }
        guard document.schemaVersion == Self.schemaVersion else {
            let reason = "it has schema version \(document.schemaVersion), this program knows \(Self.schemaVersion)"
            throw DamagedRoster(path: path, reason: reason)
        }
        return document.devices
    }

    /// Replaces the file atomically and durably; blocks on the disk.
    func write(_ devices: [DeviceDescription]) throws {
        try folder.publish([[UInt8](try Self.data(of: devices))], as: Self.name)
        RosterFault.durable.reached()
    }

    /// The content of a file of these devices.
    static func data(of devices: [DeviceDescription]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(Document(devices: devices))
    }
}
