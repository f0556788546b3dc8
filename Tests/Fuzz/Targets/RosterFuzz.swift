import CaptureModel

@testable import FolderStore
@testable import RigCore

/// The `roster.json` of a coordinator's state folder.
enum RosterFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let devices = try? RosterDocument.content(in: bytes) else { return }
        let again = try RosterDocument.content(in: try RosterDocument.encoded(devices))
        try FuzzFinding.unless(again == devices, "a roster that was written says something else")
        let roster = Roster(restoring: devices)
        try FuzzFinding.unless(
            roster.devices.count == Set(devices.map(\.id)).count, "devices are lost when the roster is read")
    }
}
