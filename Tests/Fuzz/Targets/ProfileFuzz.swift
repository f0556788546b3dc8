import CaptureModel
import StorageKit

@testable import FolderStore

/// The `profiles/NAME.json` and the `settings.json` of a coordinator's state folder.
enum ProfileFuzz {
    static func run(_ bytes: [UInt8]) throws {
        if let transactions = try? SettingsFile.transactions(in: bytes) {
            let again = try SettingsFile.transactions(in: try SettingsFile.encoded(transactions, for: "settings.json"))
            try FuzzFinding.unless(again == transactions, "transactions that were written say something else")
        }
        guard let name = ProfileName("fuzz"), let versions = try? ProfileFile.versions(of: name, in: bytes) else {
            return
        }
        let written = try ProfileFile.encoded(ProfileVersions(name, versions))
        try FuzzFinding.unless(
            try ProfileFile.versions(of: name, in: written) == versions,
            "a profile that was written says something else")
        try FuzzFinding.unless(
            versions.allSatisfy { $0.cameras.allSatisfy { !$0.settings.entries.isEmpty } }, "a camera has no settings")
    }
}
