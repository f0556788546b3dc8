internal import CaptureModel
internal import ShotDocuments
public import StorageKit

extension DocumentFormat<StoredHold?> {
    /// The hold of a rig; nil if nobody holds it. There is no file as long as nobody has ever held the rig.
    public static var hold: DocumentFormat {
        DocumentFormat(
            StoredHoldDocument.self, fileName: "hold.json", byteLimit: 1 << 16, subject: "the hold",
            consequence: "nobody holds the rig then, and the next hold replaces the file")
    }
}

/// The content of a `hold.json`. Without a hold it has only its version.
struct StoredHoldDocument: VersionedDocument {
    static let schemaVersions = 1...1

    private struct Hold: Codable {
        var endsRigNanoseconds: RigTime
        var holder: String
        var isAuthenticated: Bool
        var note: String
        var rigClock: RigClockID
        var takenRigNanoseconds: RigTime
    }

    private(set) var schemaVersion = 1
    private var hold: Hold?

    init(_ stored: StoredHold?) {
        hold = stored.map { stored in
            Hold(
                endsRigNanoseconds: stored.hold.ends, holder: stored.hold.holder.name,
                isAuthenticated: stored.hold.holder.isAuthenticated, note: stored.hold.note, rigClock: stored.rigClock,
                takenRigNanoseconds: stored.hold.taken)
        }
    }

    func content() throws -> StoredHold? {
        guard let hold else { return nil }
        guard let holder = Principal(recorded: hold.holder, isAuthenticated: hold.isAuthenticated),
            hold.note.utf8.count <= RigHold.longestNote, !hold.note.hasControls,
            hold.takenRigNanoseconds <= hold.endsRigNanoseconds
        else {
            throw DocumentError(
                .damaged, "read", "the hold", "its holder, note or times are not those of a hold")
        }
        return StoredHold(
            RigHold(
                holder: holder, note: hold.note, taken: hold.takenRigNanoseconds, ends: hold.endsRigNanoseconds),
            rigClock: hold.rigClock)
    }
}
