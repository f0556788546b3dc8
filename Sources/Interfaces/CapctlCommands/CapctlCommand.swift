internal import ArgumentParser

/// A subcommand that does work: it returns or throws, and this converts both into output and exit status.
protocol CapctlCommand: ExplainedCommand {
    /// Performs the command.
    /// - Returns: The exit status. A failure without any result is thrown.
    func perform(_ console: Console) async throws -> CommandStatus

    /// Whether progress and hints are left out.
    var isQuiet: Bool { get }
}

extension CapctlCommand {
    var isQuiet: Bool { false }

    mutating func run() async throws {
        var console = Console.standard
        console.isQuiet = isQuiet
        let status = await outcome(console)
        if status != .complete { throw ExitCode(status.rawValue) }
    }

    /// Performs the command and reports a failure on standard error.
    func outcome(_ console: Console) async -> CommandStatus {
        do {
            return try await perform(console)
        } catch {
            console.endProgress()
            console.note("capctl: \(error)\n")
            return CommandStatus(of: error)
        }
    }
}

/// The root command. Its subcommands are everything that a person or script does with a rig.
struct Capctl: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "capctl",
        abstract: "Takes one picture of one instant with every camera of a rig.",
        discussion: """
            Data goes to standard output, everything else to standard error. Exit status: 0 complete, 3 partial, 4 failed \
            or refused, 5 nothing selected, 6 no coordinator, 64 wrong command line, 130 interrupted, 1 anything else.
            """,
        version: "capctl \(CapctlProgram.version)",
        subcommands: [
            DemoCommand.self, TriggerCommand.self, RecordCommand.self, DevicesCommand.self, SessionCommand.self,
            ResumeCommand.self, SettingsCommand.self, HoldCommand.self,
            NodeCommand.self, KeysCommand.self, JoinCommand.self, ContextCommand.self, WebCommand.self,
            AuditCommand.self,
            ShotsCommand.self, TakesCommand.self, ExportCommand.self, SpoolCommand.self, StatusCommand.self,
            SyncCommand.self,
            DoctorCommand.self,
            EventsCommand.self,
            PreviewCommand.self,
            FramesCommand.self,
            WatchCommand.self, TimeCodeCommand.self, CompleteCommand.self,
        ])

    static let examples: [CommandExample] = [
        "capctl devices",
        "capctl trigger --all",
        "capctl shots show last",
    ]
}

/// The program `capctl`.
public enum CapctlProgram {
    /// The version that `--version` prints.
    public static let version = "0.1.0"

    /// Parses this process's command line, performs the command, and ends the process.
    public static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            _ = try Capctl.parseAsRoot(arguments)
        } catch  where Capctl.exitCode(for: error) == .validationFailure {
            if let misspelled = MisspelledCommand.found(in: arguments, of: Capctl.self) {
                Console.standard.note("Error: \(misspelled.sentence)\n")
                Capctl.exit(withError: ExitCode.validationFailure)
            }
        } catch {}
        await Capctl.main(arguments)
    }
}
