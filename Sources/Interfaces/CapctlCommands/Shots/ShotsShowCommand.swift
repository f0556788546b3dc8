internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl shots show`.
struct ShotsShowCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a shot with the outcome of every camera.",
        discussion: "Ends with the status of the shot: 0 complete, 3 partial or open, 4 failed.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The shot's id.", transform: ShotID.argument)
    var shot: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let document = try await source.withSource(console) { try await $0.show(shot) }
        console.write(try ShotReport(document).rendered(as: output.format))
        return CommandStatus(of: document.shot.status)
    }
}
