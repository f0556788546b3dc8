internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl takes edit`.
struct TakesEditCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Write a title and a note about a take.",
        discussion: "What is not given stays; an empty text removes it. Movies and manifest are not touched.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Option(help: "The title, one line.")
    var title: String?

    @Option(help: "The note.")
    var note: String?

    @Argument(help: "The take's id.", transform: ShotID.argument)
    var take: ShotID

    func validate() throws {
        guard title != nil || note != nil else { throw ValidationError("Give --title, --note or both.") }
        let annotation = ShotAnnotation(title: title ?? "", note: note ?? "")
        if let problem = annotation.problem { throw ValidationError(problem) }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let edit = ShotAnnotationEdit(title: title, note: note)
        let annotation = try await source.withSource(console) { try await $0.edit(take, edit) }
        console.write(try ShotAnnotationReport(shot: take, annotation: annotation).rendered(as: output.format))
        return .complete
    }
}
