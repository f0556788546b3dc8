internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl shots delete`.
struct ShotsDeleteCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "delete", abstract: "Permanently delete shots from the library.",
        discussion: DeletionOptions.discussion)

    static let examples: [CommandExample] = [
        .shown(
            "capctl shots delete 019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50 --only-copy", needs: "the id of a shot")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var deletion: DeletionOptions

    @Argument(help: "The shots, by their whole ids.", completion: .shots, transform: ShotID.argument)
    var shots: [ShotID]

    func perform(_ console: Console) async throws -> CommandStatus {
        try await deletion.perform(on: shots, areTakes: false, rig, output, console)
    }
}

/// How shots or takes are deleted, and by what questions.
struct DeletionOptions: ParsableArguments {
    static let discussion = """
        Shows what it would delete and asks at the terminal; without a terminal it needs --yes. The library keeps that it was deleted, by whom \
        and when. Whole ids are needed: the end of one may mean another shot tomorrow. Refused while a shot is in progress, and without \
        --only-copy if the coordinator knows no other complete copy (`library.copy` in its configuration). Exports are not known to it. The \
        exit status is 4 if nothing was deleted, 3 if some were kept.
        """

    @Flag(help: "Delete also what the library has the only known copy of.")
    var onlyCopy = false

    @Flag(help: "Delete without asking.")
    var yes = false

    func perform(
        on ids: [ShotID], areTakes: Bool, _ rig: RigOptions, _ output: FormatOptions, _ console: Console
    ) async throws -> CommandStatus {
        try await rig.withClient { client in
            var report = DeletionReport()
            var present: [LocatedShot] = []
            for id in Set(ids).sorted() {
                do {
                    present.append(try await client.shot(id, isTake: areTakes))
                } catch let error as RigClientError where error.code == .refused(RigProblem.Code.deleted.rawValue) {
                    report.keep(id, "\(error)", console)
                }
            }
            if !present.isEmpty { try confirm(present, areTakes: areTakes, output, console) }
            for located in present { try await delete(located.shot, client, &report, console) }
            try output.show(report, on: console)
            guard !report.deleted.isEmpty else { return .failed }
            return report.kept.isEmpty ? .complete : .partial
        }
    }

    /// A shot that is refused does not keep the others.
    private func delete(
        _ shot: Shot, _ client: RigClient, _ report: inout DeletionReport, _ console: Console
    ) async throws {
        do throws(RigClientError) {
            report.deleted.append(try await client.delete(ShotDeletionRequest(shot: shot.id, evenOnlyCopy: onlyCopy)))
        } catch {
            guard case .refused(let code) = error.code else { throw error }
            let isOnlyCopy = code == RigProblem.Code.onlyCopy.rawValue
            report.keep(
                shot.id, "\(error)", wouldDelete: isOnlyCopy ? StoredFileDocument.all(of: shot) : nil, console)
        }
    }

    private func confirm(
        _ shots: [LocatedShot], areTakes: Bool, _ output: FormatOptions, _ console: Console
    ) throws {
        guard !yes else { return }
        let layout = output.layout(console)
        let rows = shots.map { located in
            let (count, bytes) = located.shot.stored
            return [
                located.shot.id.description,
                layout.time(located.shot.wallClock.realtimeNanoseconds(at: located.shot.time)),
                located.shot.status.rawValue, "\(count)", Decimals.byteText(bytes), located.annotation.title,
            ]
        }
        let columns: [Table.Column] = [
            .init(areTakes ? "TAKE" : "SHOT", .left, .id), .init("TIME"), .init("STATUS"), .init("FILES", .right),
            .init("SIZE", .right), .init("TITLE", .left, .end(10)),
        ]
        console.note(Table(columns: columns, rows: rows).rendered(layout))
        let bytes = shots.reduce(Int64(0)) { $0.addingReportingOverflow($1.shot.stored.byteCount).partialValue }
        let what = shots.count.counted(areTakes ? "take" : "shot")
        try console.requireAgreement(
            "Delete \(what), \(Decimals.byteText(bytes)), from the library permanently?",
            refused: "nothing was deleted", yes: "delete without a question")
    }
}

/// Shots or takes that were deleted, and those that were not.
struct DeletionReport: Report {
    var deleted: [ShotDeletion] = []
    private(set) var kept: [DeletionDocument.Kept] = []

    /// - Parameter wouldDelete: The files that would be lost.
    mutating func keep(
        _ shot: ShotID, _ reason: String, wouldDelete: [StoredFileDocument]? = nil, _ console: Console
    ) {
        kept.append(DeletionDocument.Kept(shot, reason: reason, wouldDelete: wouldDelete))
        let files = (wouldDelete ?? []).map { "  \($0.file)\n" }
        console.note("capctl: \(reason)\n" + files.joined())
    }

    var document: DeletionDocument { DeletionDocument(deleted, kept: kept) }

    var names: [String]? { deleted.map(\.shot.description) }

    func table(_ layout: TextLayout) -> String {
        deleted.map { "\($0.shot) deleted: \($0.files.counted("file")), \(Decimals.byteText($0.byteCount))\n" }.joined()
    }
}

extension RigClient {
    /// Returns a shot.
    /// - Throws: ``CommandFailure`` if it is a take and no take is meant, or the reverse; ``RigClientError``.
    fileprivate func shot(_ id: ShotID, isTake: Bool) async throws -> LocatedShot {
        let located = try await shot(id)
        guard (located.shot.take != nil) == isTake else {
            let noun = isTake ? "shot" : "take"
            throw CommandFailure(
                .failed, "\(id) is a \(noun); `capctl \(noun)s delete` deletes it. Nothing was deleted")
        }
        return located
    }
}

extension Shot {
    /// The number of stored files, and their bytes.
    fileprivate var stored: (count: Int, byteCount: Int64) {
        let files = captures.flatMap(\.files).filter(\.isStored)
        return (files.count, files.reduce(0) { $0.addingReportingOverflow($1.byteCount ?? 0).partialValue })
    }
}
