import CaptureModel
import StorageKit

@testable import FolderStore

/// The `profiles/NAME.json` of a coordinator's state folder.
enum ProfileFuzz {
    static func run(_ bytes: [UInt8]) throws {
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
