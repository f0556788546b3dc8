internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl shots edit`.
struct ShotsEditCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "edit", abstract: "Set the title and the note of a shot, and mark pictures as rejected.",
        discussion: """
            An omitted text is unchanged; an empty text removes it. Pictures and manifest are unchanged: a rejected picture stays in the \
            library.
            """)

    static let examples: [CommandExample] = [
        "capctl shots edit last --title \"Best of two\" --reject node1/cam1"
    ]

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var annotation: AnnotationOptions

    @Argument(
        help: "The shot: its id, the beginning or the last six characters of it, or last.", completion: .shots,
        transform: ShotReference.argument)
    var shot: ShotReference

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await source.withSource(console) { source in
            let id = try await source.id(of: shot, last: .shots)
            return ShotAnnotationReport(shot: id, annotation: try await source.edit(id, annotation.edit))
        }
        try output.show(report, on: console)
        return .complete
    }
}

/// Title, note and rejected pictures of a shot.
struct ShotAnnotationReport: Report {
    var shot: ShotID
    var annotation: ShotAnnotation
    var heading = "SHOT"

    var document: AnnotationDocument { AnnotationDocument(shot, annotation) }

    var names: [String]? { [shot.description] }

    func table(_ layout: TextLayout) -> String {
        Table(
            columns: [
                .init(heading, .left, .id), .init("TITLE", .left, .end(10)), .init("NOTE", .left, .wrap(10)),
                .init("REJECTED", .left, .wrap(10)),
            ],
            rows: [
                [
                    shot.description, annotation.title, annotation.note,
                    annotation.rejected.map(\.description).joined(separator: " "),
                ]
            ]
        ).rendered(layout)
    }
}

/// What to change in the annotation of a shot or take.
struct AnnotationOptions: ParsableArguments {
    @Option(help: "The title, one line.")
    var title: String?

    @Option(help: "The note.")
    var note: String?

    @Option(
        help: "Reject the picture of this camera, N/D. Repeatable.", completion: .devices,
        transform: { try DeviceID($0) })
    var reject: [DeviceID] = []

    @Option(
        help: "Take the rejection of this camera's picture back. Repeatable.", completion: .devices,
        transform: { try DeviceID($0) })
    var accept: [DeviceID] = []

    var edit: ShotAnnotationEdit { ShotAnnotationEdit(title: title, note: note, reject: reject, accept: accept) }

    func validate() throws {
        guard title != nil || note != nil || !reject.isEmpty || !accept.isEmpty else {
            throw ValidationError("Give at least one of --title, --note, --reject and --accept.")
        }
        if let both = reject.first(where: accept.contains) {
            throw ValidationError("\(both) cannot be both rejected and accepted.")
        }
        let annotation = ShotAnnotation(title: title ?? "", note: note ?? "")
        if let problem = annotation.problem { throw ValidationError(problem) }
    }
}
