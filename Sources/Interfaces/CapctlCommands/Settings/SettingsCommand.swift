internal import ArgumentParser
internal import CaptureModel

/// `capctl settings`: settings of several cameras at one instant.
struct SettingsCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "settings", abstract: "Give cameras settings at one instant, save and load them.",
        subcommands: [
            SettingsSetCommand.self, SettingsApplyCommand.self, SettingsUndoCommand.self,
            SettingsCancelCommand.self, SettingsSaveCommand.self,
            SettingsLoadCommand.self, SettingsListCommand.self, SettingsDiffCommand.self, SettingsHistoryCommand.self,
            SettingsRemoveCommand.self, SettingsCalibrateCommand.self, SettingsMatchCommand.self,
            SettingsLockCommand.self,
        ])

    static let examples: [CommandExample] = [
        "capctl settings set exposure=8ms --all",
        "capctl settings undo",
    ]
}

/// `capctl settings set`.
struct SettingsSetCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "set",
        abstract: "Set exposure, gain, white balance and more on all selected cameras at one instant.",
        discussion: """
            Every camera first checks the settings; those that accept them set them at the instant. Returns when it is \
            known from which frame on the pictures have them, or that it will not be known, and prints an outcome for every camera. \
            `capctl devices show` lists what a camera supports. Repeating a command with the same --id does not set again: it gives the \
            first result.
            """)

    static let examples: [CommandExample] = [
        "capctl settings set exposure=8ms gain=40% --all",
        "capctl settings set wb=5200K --device node1/cam1 --at +500ms",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions

    @OptionGroup var transaction: TransactionOptions

    @Argument(
        help: ArgumentHelp(
            "Settings, as NAME=VALUE, such as exposure=8ms gain=40% wb=5200K.", valueName: "name=value"))
    var entries: [String]

    func validate() throws {
        guard !cameras.isEmpty else {
            throw ValidationError(
                "Select cameras: --all, or any of --type, --position, --first, --node, --device, --label.")
        }
        _ = try settings
    }

    private var settings: CaptureSettings {
        get throws {
            do throws(SettingsTextError) {
                return try CaptureSettings(parsing: entries)
            } catch {
                throw ValidationError("\(error)")
            }
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let request = transaction.request(of: cameras.selection, try settings)
        return try await rig.carryOut(request, console, output)
    }
}

extension SettingsID {
    /// Parses an id of the command line.
    static func argument(_ text: String) throws -> SettingsID {
        guard let id = SettingsID(text) else {
            throw ValidationError("'\(text)' is not a UUIDv7, such as 019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f")
        }
        return id
    }
}
