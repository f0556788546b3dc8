internal import ArgumentParser
internal import RigClient

/// `capctl session`.
struct SessionCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "session", abstract: "Start, stop, turn and replace cameras.",
        subcommands: [
            SessionStartCommand.self, SessionStopCommand.self, SessionSwitchCommand.self, SessionTurnCommand.self,
        ])

    static let examples: [CommandExample] = [
        "capctl session stop node1/cam2",
        "capctl session start node1/cam2",
    ]
}

/// `capctl resume`.
struct ResumeCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "resume", abstract: "Try failed cameras again; ends when each runs or has failed.",
        discussion: "A camera that waits for its next attempt is tried immediately.")

    static let examples: [CommandExample] = [
        "capctl resume --all"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) { client, device, timeout throws(RigClientError) in
            try await client.resumeSession(of: device, timeout: timeout)
        }
    }
}

/// `capctl session start`.
struct SessionStartCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "start", abstract: "Start cameras; ends when each runs or has failed.",
        discussion: "Starts cameras that were stopped or are on standby, and tries failed cameras again.")

    static let examples: [CommandExample] = [
        "capctl session start --all",
        "capctl session start node1/cam2",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) { client, device, timeout throws(RigClientError) in
            try await client.startSession(of: device, timeout: timeout)
        }
    }
}

/// `capctl session stop`.
struct SessionStopCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "stop", abstract: "Stop cameras, so that other programs can use them.",
        discussion: """
            Stopped cameras stay stopped until `capctl session start`, or until their agent is started again and follows \
            its configuration (standby). A camera that records a movie is stopped only with --force.
            """)

    static let examples: [CommandExample] = [
        "capctl session stop node1/cam2",
        "capctl session stop --node node2 --force",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    @Flag(help: "Also stop cameras that record, and report which recordings end early; recorded data is kept.")
    var force = false

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) { [force] client, device, timeout throws(RigClientError) in
            try await client.stopSession(of: device, force: force, timeout: timeout)
        }
    }
}
