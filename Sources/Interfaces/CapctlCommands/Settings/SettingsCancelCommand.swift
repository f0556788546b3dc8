internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl settings cancel`.
struct SettingsCancelCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "cancel", abstract: "End a settings transaction before its instant, so that no camera is set.",
        discussion: """
            Prints the outcome of every camera when the transaction has ended. After its instant nothing is cancelled: \
            `capctl settings undo ID` puts values back.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl settings cancel last", needs: "settings whose instant is not past")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(
        help: ArgumentHelp(
            "The transaction: its id, the beginning or the last six characters of it, or last.", valueName: "settings"),
        transform: SettingsReference.argument)
    var id: SettingsReference

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            try await client.cancelSettings(try await client.id(of: id))
        }
        try output.show(SettingsSetReport(report: report), on: console)
        return Self.status(of: report)
    }

    /// Complete if no camera has the settings or may have them.
    static func status(of report: SettingsReport) -> CommandStatus {
        let kept = report.cameras.count { [.undone, .refused].contains($0.outcome.word) }
        return kept == report.cameras.count ? .complete : kept == 0 ? .failed : .partial
    }
}
