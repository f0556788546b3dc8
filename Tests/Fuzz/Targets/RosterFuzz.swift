import CaptureModel
import FoundationEssentials

@testable import RigCore

/// The `roster.json` of a coordinator's state folder.
enum RosterFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let devices = try? RosterFile.devices(in: Data(bytes), of: "roster.json") else { return }
        let again = try RosterFile.devices(in: try RosterFile.data(of: devices), of: "roster.json")
        try FuzzFinding.unless(again == devices, "a roster that was written says something else")
        let roster = Roster(restoring: devices)
        try FuzzFinding.unless(
            roster.devices.count == Set(devices.map(\.id)).count, "devices are lost when the roster is read")
    }
}
