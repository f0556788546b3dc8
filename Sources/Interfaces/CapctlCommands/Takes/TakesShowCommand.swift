internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl takes show`.
struct TakesShowCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a take with what became of every camera's movie.",
        discussion: "Ends with the status of the take: 0 complete, 3 partial or open, 4 failed.")

    @OptionGroup var source: ShotSourceOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The take's id.", transform: ShotID.argument)
    var take: ShotID

    func perform(_ console: Console) async throws -> CommandStatus {
        let document = try await source.withSource(console) { try await $0.show(take) }
        guard document.shot.take != nil else {
            throw CommandFailure(.failed, "\(take) is a shot; `capctl shots show \(take)` shows it")
        }
        console.write(try TakeReport(document).rendered(as: output.format))
        return CommandStatus(of: document.shot.status)
    }
}
