internal import CaptureModel
internal import RigDocuments

/// What has become of a request to save a profile.
struct SavedProfileReport: Report {
    var saved: SavedProfile
    /// How settings read in a table that is not wide.
    var words = SettingWords()

    var document: SavedProfileDocument { SavedProfileDocument(saved) }
    var names: [String]? { ["\(saved.profile.reference)"] }

    /// Partial if a selected camera is left out.
    var status: CommandStatus { saved.leftOut.isEmpty ? .complete : .partial }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [.init("CAMERA", .left, .end(8)), .init("SETTINGS", .left, .wrap(20))]
        let rows =
            saved.profile.cameras.map { camera in
                [
                    "\(camera.device)",
                    layout.isWide ? "\(camera.settings)" : words.text(of: camera.settings, for: camera.device),
                ]
            }
            + saved.leftOut.map { ["\($0.device)", "left out: \($0.problem.message)"] }
        let dropped = saved.dropped.map { ", version \($0) removed" } ?? ""
        let end =
            saved.isNew
            ? "profile \(saved.profile.reference) saved\(dropped)"
            : "profile \(saved.profile.reference) has these settings already; nothing saved"
        return Table(columns: columns, rows: rows).rendered(layout) + end + "\n"
    }
}

/// The profiles of the rig.
struct ProfileListReport: Report {
    var profiles: [ProfileSummary]
    /// Whether each version has a line.
    var withVersions = false

    var document: ProfileListDocument { ProfileListDocument(profiles) }
    var names: [String]? { profiles.map(\.name.description) }
    var emptiness: String? { profiles.isEmpty ? "no profiles yet; `capctl settings save NAME` saves one" : nil }

    /// Partial if one cannot be read.
    var status: CommandStatus { profiles.contains { $0.problem != nil } ? .partial : .complete }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("PROFILE", .left, .end(10)), .init("CAMERAS", .right), .init("SAVED"),
            .init("BY", .left, .end(8), dropped: 1), .init("PROBLEM", .left, .wrap(20)),
        ]
        let rows = profiles.flatMap { profile in
            guard profile.problem == nil else {
                return [["\(profile.name)", "-", "-", "-", profile.problem?.message ?? ""]]
            }
            let versions = withVersions ? Array(profile.versions.reversed()) : profile.versions.suffix(1)
            return versions.map { version in
                [
                    "\(ProfileReference(profile.name, version: version.version))", "\(version.cameraCount)",
                    layout.time(version.realtimeNanoseconds), version.principal, "",
                ]
            }
        }
        return Table(columns: columns, rows: rows).rendered(layout)
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
    /// How settings read in a table that is not wide.
    var words: SettingWords

    init(_ first: SettingsProfile, _ second: SettingsProfile, _ words: SettingWords = SettingWords()) {
        self.words = words
        self.first = "\(first.reference)"
        self.second = "\(second.reference)"
        differences = ProfileDifference.between(first.cameras, second.cameras)
    }

    init(_ first: SettingsProfile, held: HeldProfile, _ words: SettingWords = SettingWords()) {
        self.words = words
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

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("CAMERA", .left, .end(8)), .init("SETTING", .left, .end(10)), .init(first, .left, .wrap(12)),
            .init(second ?? "cameras", .left, .wrap(12)),
        ]
        let rows = differences.map { difference in
            ["\(difference.device)"] + cells(of: difference, layout)
        }
        let missing = leftOut.map { "\(Table.printable($0.problem.message))\n" }.joined()
        return (rows.isEmpty ? "no difference\n" : Table(columns: columns, rows: rows).rendered(layout)) + missing
    }
}

extension ProfileDiffReport {
    /// The setting and its values; a camera that only one side has is compared as a whole.
    private func cells(of difference: ProfileDifference, _ layout: TextLayout) -> [String] {
        guard let name = difference.name else { return ["(all)", difference.first ?? "-", difference.second ?? "-"] }
        guard !layout.isWide else { return [name, difference.first ?? "-", difference.second ?? "-"] }
        let cells = [difference.first, difference.second].map { words.cells(name, $0, for: difference.device) }
        // The setting that a control is depends on whether it has a value.
        let title = zip(cells, [difference.first, difference.second]).first { $1 != nil }?.0.0 ?? name
        return [title, cells[0].1 ?? "-", cells[1].1 ?? "-"]
    }
}

/// Past settings transactions.
struct SettingsHistoryReport: Report {
    var transactions: [PastSettings]
    /// How settings read in a table that is not wide.
    var words = SettingWords()

    var document: SettingsHistoryDocument { SettingsHistoryDocument(transactions) }
    var names: [String]? { transactions.map(\.id.description) }
    var emptiness: String? {
        transactions.isEmpty ? "no settings transactions yet; `capctl settings set` makes one" : nil
    }

    func table(_ layout: TextLayout) -> String {
        let columns: [Table.Column] = [
            .init("TIME"), .init("ID", .left, .id), .init("BY", .left, .end(6), dropped: 3),
            .init("ORIGIN", .left, .wrap(12), dropped: 2), .init("CAMERA", .left, .end(8)),
            .init("OUTCOME", dropped: 1), .init("SETTINGS", .left, .wrap(12)), .init("BEFORE", .left, .wrap(12)),
        ]
        return Table(columns: columns, rows: transactions.flatMap { rows($0, layout) }).rendered(layout)
    }

    private func text(_ settings: CaptureSettings, _ camera: PastSettings.Camera, _ layout: TextLayout) -> String {
        layout.isWide ? "\(settings)" : words.text(of: settings, for: camera.device)
    }

    private func rows(_ past: PastSettings, _ layout: TextLayout) -> [[String]] {
        let origins = [
            past.profile.map { "profile \($0)" }, past.run.map { "run \($0)" },
            past.undoesRun.map { "undoes run \($0)" } ?? past.undoes.map { "undoes \($0)" },
        ].compactMap(\.self)
        let origin = origins.isEmpty ? "-" : origins.joined(separator: ", ")
        let head = [
            layout.time(past.realtimeNanoseconds), "\(past.id)", past.principal, origin,
        ]
        return past.cameras.enumerated().map { index, camera in
            (index == 0 ? head : ["", "", "", ""]) + [
                "\(camera.device)", camera.outcome?.rawValue ?? "not known", text(camera.settings, camera, layout),
                camera.earlier.map { text($0, camera, layout) } ?? "not known",
            ]
        }
    }
}
