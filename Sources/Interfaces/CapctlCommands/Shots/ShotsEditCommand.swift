internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl shots edit`.
struct ShotsEditCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Set the title and the note of a shot, and mark pictures as rejected.",
        discussion: """
            An omitted text is unchanged; an empty text removes it. Pictures and manifest are unchanged: a rejected picture stays in the \
            library.
            """)

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var annotation: AnnotationOptions

    @Argument(help: "The shot's id.", completion: .shots, transform: ShotID.argument)
    var shot: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let written = try await source.withSource(console) { try await $0.edit(shot, annotation.edit) }
        console.write(try ShotAnnotationReport(shot: shot, annotation: written).rendered(as: output.format))
        return .complete
    }
}

/// Title, note and rejected pictures of a shot.
struct ShotAnnotationReport: Report {
    var shot: ShotID
    var annotation: ShotAnnotation
    var heading = "SHOT"

    var document: AnnotationDocument { AnnotationDocument(shot, annotation) }

    var table: String {
        Table(
            columns: [.init(heading), .init("TITLE"), .init("NOTE"), .init("REJECTED")],
            rows: [
                [
                    shot.description, annotation.title, annotation.note,
                    annotation.rejected.map(\.description).joined(separator: " "),
                ]
            ]
        ).rendered()
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
