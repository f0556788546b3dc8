internal import CaptureModel
internal import RigDocuments

/// What has become of a request to save a profile.
struct SavedProfileReport: Report {
    var saved: SavedProfile

    var document: SavedProfileDocument { SavedProfileDocument(saved) }

    /// Partial if a selected camera is left out.
    var status: CommandStatus { saved.leftOut.isEmpty ? .complete : .partial }

    var table: String {
        let columns: [Table.Column] = [.init("CAMERA"), .init("SETTINGS")]
        let rows =
            saved.profile.cameras.map { ["\($0.device)", "\($0.settings)"] }
            + saved.leftOut.map { ["\($0.device)", "left out: \($0.problem.message)"] }
        let dropped = saved.dropped.map { ", version \($0) removed" } ?? ""
        let end =
            saved.isNew
            ? "profile \(saved.profile.reference) saved\(dropped)"
            : "profile \(saved.profile.reference) has these settings already; nothing saved"
        return Table(columns: columns, rows: rows).rendered() + end + "\n"
    }
}

/// The profiles of the rig.
struct ProfileListReport: Report {
    var profiles: [ProfileSummary]
    /// Whether each version has a line.
    var withVersions = false

    var document: ProfileListDocument { ProfileListDocument(profiles) }

    /// Partial if one cannot be read.
    var status: CommandStatus { profiles.contains { $0.problem != nil } ? .partial : .complete }

    var table: String {
        let columns: [Table.Column] = [
            .init("PROFILE"), .init("CAMERAS", .right), .init("SAVED"), .init("BY"), .init("PROBLEM"),
        ]
        let rows = profiles.flatMap { profile in
            guard profile.problem == nil else {
                return [["\(profile.name)", "-", "-", "-", profile.problem?.message ?? ""]]
            }
            let versions = withVersions ? Array(profile.versions.reversed()) : profile.versions.suffix(1)
            return versions.map { version in
                [
                    "\(ProfileReference(profile.name, version: version.version))", "\(version.cameraCount)",
                    RFC3339.text(realtimeNanoseconds: version.realtimeNanoseconds), version.principal, "",
                ]
            }
        }
        return Table(columns: columns, rows: rows).rendered()
    }
}

/// The differences between two sets of settings.
struct ProfileDiffReport: Report {
    var first: String
    /// What the cameras hold where nil.
    var second: String?
    var differences: [ProfileDifference]
    /// Cameras of the profile of which it is not known what they hold, or that hold nothing. They are not compared.
    var leftOut: [HeldProfile.LeftOut] = []

    init(_ first: SettingsProfile, _ second: SettingsProfile) {
        self.first = "\(first.reference)"
        self.second = "\(second.reference)"
        differences = ProfileDifference.between(first.cameras, second.cameras)
    }

    init(_ first: SettingsProfile, held: HeldProfile) {
        self.first = "\(first.reference)"
        let saved = Set(first.cameras.map(\.device))
        leftOut = held.leftOut.filter { saved.contains($0.device) }
        let unknown = Set(leftOut.map(\.device))
        differences = ProfileDifference.between(first.cameras.filter { !unknown.contains($0.device) }, held.cameras)
    }

    /// Partial if it is not known what a camera of the profile holds.
    var status: CommandStatus { leftOut.isEmpty ? .complete : .partial }

    var document: ProfileDiffDocument {
        ProfileDiffDocument(first: first, second: second, differences: differences, leftOut: leftOut)
    }

    var table: String {
        let columns: [Table.Column] = [
            .init("CAMERA"), .init("SETTING"), .init(first), .init(second ?? "cameras"),
        ]
        let rows = differences.map { ["\($0.device)", $0.name ?? "(all)", $0.first ?? "-", $0.second ?? "-"] }
        let missing = leftOut.map { "\(Table.printable($0.problem.message))\n" }.joined()
        return (rows.isEmpty ? "no difference\n" : Table(columns: columns, rows: rows).rendered()) + missing
    }
}

/// Past settings transactions.
struct SettingsHistoryReport: Report {
    var transactions: [PastSettings]

    var document: SettingsHistoryDocument { SettingsHistoryDocument(transactions) }

    var table: String {
        let columns: [Table.Column] = [
            .init("TIME"), .init("SETTINGS ID"), .init("BY"), .init("ORIGIN"), .init("CAMERA"), .init("OUTCOME"),
            .init("SETTINGS"), .init("BEFORE"),
        ]
        return Table(columns: columns, rows: transactions.flatMap(rows)).rendered()
    }

    private func rows(_ past: PastSettings) -> [[String]] {
        let origins = [
            past.profile.map { "profile \($0)" }, past.run.map { "run \($0)" },
            past.undoesRun.map { "undoes run \($0)" } ?? past.undoes.map { "undoes \($0)" },
        ].compactMap(\.self)
        let origin = origins.isEmpty ? "-" : origins.joined(separator: ", ")
        let head = [
            RFC3339.text(realtimeNanoseconds: past.realtimeNanoseconds), "\(past.id)", past.principal, origin,
        ]
        return past.cameras.enumerated().map { index, camera in
            (index == 0 ? head : ["", "", "", ""]) + [
                "\(camera.device)", camera.outcome?.rawValue ?? "not known", "\(camera.settings)",
                camera.earlier.map { "\($0)" } ?? "not known",
            ]
        }
    }
}
