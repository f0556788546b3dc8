internal import ArgumentParser

/// The root command: its subcommands are everything a person or script does with a rig.
struct Capctl: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capctl",
        abstract: "Takes one picture of one instant with every camera of a rig.",
        discussion: """
            Data goes to standard output, everything else to standard error. Exit status: 0 complete, 3 partial, 4 failed \
            or refused, 5 nothing selected, 6 no coordinator, 64 wrong command line, 130 interrupted, 1 anything else.
            """,
        version: "capctl \(CapctlProgram.version)",
        subcommands: [
            DemoCommand.self, TriggerCommand.self, RecordCommand.self, DevicesCommand.self, SessionCommand.self,
            ResumeCommand.self,
            ShotsCommand.self, TakesCommand.self, ExportCommand.self, SpoolCommand.self, StatusCommand.self,
            EventsCommand.self,
            PreviewCommand.self,
            FramesCommand.self,
            WatchCommand.self, TimeCodeCommand.self,
        ])
}
