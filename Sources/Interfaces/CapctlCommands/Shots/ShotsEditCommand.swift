internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl shots edit`.
struct ShotsEditCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Set the title and the note of a shot.",
        discussion: "An omitted text is unchanged; an empty text removes it. Pictures and manifest are unchanged.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var annotation: AnnotationOptions

    @Argument(help: "The shot's id.", transform: ShotID.argument)
    var shot: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let written = try await source.withSource(console) { try await $0.edit(shot, annotation.edit) }
        console.write(try ShotAnnotationReport(shot: shot, annotation: written).rendered(as: output.format))
        return .complete
    }
}

/// Title and note of a shot.
struct ShotAnnotationReport: Report {
    var shot: ShotID
    var annotation: ShotAnnotation
    var heading = "SHOT"

    /// `capctl shots edit --format json`.
    struct Document: Encodable {
        var note: String
        var shot: ShotID
        var title: String
    }

    var document: Document { Document(note: annotation.note, shot: shot, title: annotation.title) }

    var table: String {
        Table(
            columns: [.init(heading), .init("TITLE"), .init("NOTE")],
            rows: [[shot.description, annotation.title, annotation.note]]
        ).rendered()
    }
}

/// The new title and note of a shot or take.
struct AnnotationOptions: ParsableArguments {
    @Option(help: "The title, one line.")
    var title: String?

    @Option(help: "The note.")
    var note: String?

    var edit: ShotAnnotationEdit { ShotAnnotationEdit(title: title, note: note) }

    func validate() throws {
        guard title != nil || note != nil else { throw ValidationError("Give --title, --note or both.") }
        let annotation = ShotAnnotation(title: title ?? "", note: note ?? "")
        if let problem = annotation.problem { throw ValidationError(problem) }
    }
}
