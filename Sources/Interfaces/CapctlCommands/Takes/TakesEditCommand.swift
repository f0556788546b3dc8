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
    @OptionGroup var annotation: AnnotationOptions

    @Argument(help: "The take's id.", transform: ShotID.argument)
    var take: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let written = try await source.withSource(console) { try await $0.edit(take, annotation.edit) }
        console.write(
            try ShotAnnotationReport(shot: take, annotation: written, heading: "TAKE").rendered(as: output.format))
        return .complete
    }
}
