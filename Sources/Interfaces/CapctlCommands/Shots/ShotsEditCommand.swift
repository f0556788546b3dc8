internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl shots edit`.
struct ShotsEditCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Write a title and a note about a shot.",
        discussion: "What is not given stays; an empty text removes it. Pictures and manifest are not touched.")

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

/// What is written about a shot.
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
