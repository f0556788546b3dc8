import CaptureModel
import StorageKit

@testable import FolderStore

/// The `hold.json` of a coordinator's state folder.
enum HoldFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let hold = try? StoredHoldDocument.content(in: bytes) else { return }
        let again = try StoredHoldDocument.content(in: try StoredHoldDocument.encoded(hold))
        try FuzzFinding.unless(again == hold, "a hold that was written says something else")
        let line = hold.hold.holder.name + hold.hold.note
        let isLine = line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        try FuzzFinding.unless(isLine && line.utf8.count <= 128 + 256, "a hold cannot be shown in a line")
    }
}
