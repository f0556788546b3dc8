internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl settings cancel`.
struct SettingsCancelCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End a settings transaction before its instant, so that no camera is set.",
        discussion: """
            Prints the outcome of every camera when the transaction has ended. After its instant nothing is cancelled: \
            `capctl settings undo ID` puts values back.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(
        help: ArgumentHelp("The transaction, by its id.", valueName: "settings"), transform: SettingsID.argument)
    var id: SettingsID

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { try await $0.cancelSettings(id) }
        console.write(try SettingsSetReport(report: report).rendered(as: output.format))
        return Self.status(of: report)
    }

    /// Complete if no camera has the settings or may have them.
    static func status(of report: SettingsReport) -> CommandStatus {
        let kept = report.cameras.count { [.undone, .refused].contains($0.outcome.word) }
        return kept == report.cameras.count ? .complete : kept == 0 ? .failed : .partial
    }
}
