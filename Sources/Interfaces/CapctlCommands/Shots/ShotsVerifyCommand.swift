internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl shots verify`.
struct ShotsVerifyCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "verify", abstract: "Hash the stored files of shots again and compare them with the manifests.",
        discussion: """
            The exit status is 0 if every file matches its manifest, otherwise 4. With --all, findings are also: a \
            manifest that cannot be read, a file that belongs to no shot, and a file in quarantine because it arrived damaged.
            """)

    static let examples: [CommandExample] = [
        "capctl shots verify last",
        "capctl shots verify --all",
    ]

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: NamelessFormatOptions

    @Flag(help: "Verify every shot of the library, and find files that belong to none. The table omits sound files.")
    var all = false

    @Argument(
        help: "The shots and takes: of each its id, the beginning or the last six characters of it, or last.",
        completion: .shots,
        transform: ShotReference.argument)
    var shots: [ShotReference] = []

    func validate() throws {
        guard all != !shots.isEmpty else { throw ValidationError("Give the ids of shots, or --all.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await source.withSource(console) { source in
            all
                ? try await LibraryAudit(source: source, console: console).run()
                : try await self.report(on: shots, source)
        }
        try output.show(report, on: console)
        return report.isSound ? .complete : .failed
    }

    private func report(on shots: [ShotReference], _ source: any ShotSource) async throws -> VerificationReport {
        var report = VerificationReport()
        for shot in shots {
            report.verifications.append(try await source.verify(try await source.id(of: shot, last: .both)))
        }
        return report
    }
}

/// Verifies every shot and every take of a library, newest first, and finds files that belong to none.
struct LibraryAudit {
    /// Shots listed at a time.
    static let page = 1000

    var source: any ShotSource
    var console: Console

    func run() async throws -> VerificationReport {
        var report = VerificationReport(listsOnlyFindings: true)
        for isOfTakes in [false, true] {
            try await verify(ShotQuery(isOfTakes: isOfTakes), &report)
        }
        report.unclaimed = try await source.unclaimedFiles()
        console.endProgress()
        return report
    }

    private func verify(_ query: ShotQuery, _ report: inout VerificationReport) async throws {
        var last: ShotID?
        while true {
            let list = try await source.list(query, limit: Self.page, before: last)
            // An unreadable manifest does not show whether it is a shot or a take, so the listing of takes has it too.
            if !query.isOfTakes {
                report.damaged += list.damaged.map(\.reason)
                report.moreDamaged += list.moreDamaged
            }
            for shot in list.shots { try await verify(shot.id, &report) }
            guard list.shots.count == Self.page, let next = list.shots.last?.id else { return }
            last = next
        }
    }

    /// A shot that cannot be verified is a finding, and the others are still verified. Without a coordinator
    /// verification ends.
    private func verify(_ id: ShotID, _ report: inout VerificationReport) async throws {
        console.progress("\(report.verifications.count) shots verified")
        do {
            report.verifications.append(try await source.verify(id))
        } catch let error as RigClientError where !error.isAnswer {
            throw error
        } catch {
            report.damaged.append("\(id): \(error)")
        }
    }
}

extension RigClientError {
    /// Whether the coordinator itself has sent this error.
    fileprivate var isAnswer: Bool {
        if case .refused = code { true } else { false }
    }
}

/// The result of verification.
struct VerificationReport: Report {
    var verifications: [Verification] = []
    /// Manifests that cannot be read, with path and reason, and shots that cannot be verified.
    var damaged: [String] = []
    /// The number of further manifests that cannot be read.
    var moreDamaged = 0
    /// nil if only shots were verified.
    var unclaimed: UnclaimedFiles?
    /// Whether the table omits sound files.
    var listsOnlyFindings = false

    var isSound: Bool {
        verifications.allSatisfy(\.isSound) && damaged.isEmpty && unclaimed?.files.isEmpty != false
    }

    var document: VerificationDocument {
        VerificationDocument(verifications, damaged: damaged, moreDamaged: moreDamaged, unclaimed: unclaimed)
    }

    func table(_ layout: TextLayout) -> String {
        var rows = verifications.flatMap { verification in
            verification.files.filter { !listsOnlyFindings || $0.finding != .ok }.map { file in
                [verification.shot.description, file.finding.rawValue, file.path]
            }
        }
        rows += damaged.map { ["-", "damaged", $0] }
        if moreDamaged > 0 { rows.append(["-", "damaged", moreDamaged.counted("more manifest")]) }
        rows += (unclaimed?.files ?? []).map { ["-", $0.finding.rawValue, $0.path] }
        let columns: [Table.Column] = [
            .init("SHOT", .left, .id), .init("FINDING"), .init("FILE", .left, .wrap(20)),
        ]
        let table = Table(columns: columns, rows: rows).rendered(layout)
        return listsOnlyFindings
            ? "\(verifications.count) shots and takes verified\n" + (rows.isEmpty ? "" : table) : table
    }
}
