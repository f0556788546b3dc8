internal import CaptureModel
internal import RigClient

/// What hashing has found.
struct VerificationReport: Report {
    var verifications: [Verification] = []
    /// Manifests that cannot be read, path and reason; shots that cannot be verified.
    var damaged: [String] = []
    /// How many more manifests cannot be read.
    var moreDamaged = 0
    /// nil where only shots were looked at.
    var unclaimed: UnclaimedFiles?
    /// Whether the table leaves out what is sound.
    var listsOnlyFindings = false

    var isSound: Bool {
        verifications.allSatisfy(\.isSound) && damaged.isEmpty && unclaimed?.files.isEmpty != false
    }

    /// `capctl shots verify --format json`.
    struct Document: Encodable {
        var damaged: [String]
        var moreDamaged: Int
        var unclaimed: [Verification.File]
        var unclaimedIsCut: Bool
        var verifications: [Verification]
    }

    var document: Document {
        Document(
            damaged: damaged, moreDamaged: moreDamaged, unclaimed: unclaimed?.files ?? [],
            unclaimedIsCut: unclaimed?.isCut ?? false,
            verifications: verifications)
    }

    var table: String {
        var rows = verifications.flatMap { verification in
            verification.files.filter { !listsOnlyFindings || $0.finding != .ok }.map { file in
                [verification.shot.description, file.finding.rawValue, file.path]
            }
        }
        rows += damaged.map { ["-", "damaged", $0] }
        if moreDamaged > 0 { rows.append(["-", "damaged", moreDamaged.counted("more manifest")]) }
        rows += (unclaimed?.files ?? []).map { ["-", $0.finding.rawValue, $0.path] }
        let table = Table(columns: [.init("SHOT"), .init("FINDING"), .init("FILE")], rows: rows).rendered()
        return listsOnlyFindings
            ? "\(verifications.count) shots and takes verified\n" + (rows.isEmpty ? "" : table) : table
    }
}
