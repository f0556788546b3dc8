internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl sync`: how near to one instant the rig's pictures are.
struct SyncCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "sync",
        abstract: "Show how well the nodes know the rig's time, align cameras, and measure how late they stamp.",
        subcommands: [
            SyncStatusCommand.self, SyncAlignCommand.self, SyncCalibrateCommand.self, SyncVerifyCommand.self,
            SyncLightCommand.self,
        ],
        defaultSubcommand: SyncStatusCommand.self)

    static let examples: [CommandExample] = [
        "capctl sync status"
    ]

    static func requireSelection(_ cameras: SelectionOptions) throws {
        guard cameras.isEmpty else { return }
        throw ValidationError("Select cameras: --all, or any of --type, --position, --node, --device, --label.")
    }
}

/// `capctl sync status`.
struct SyncStatusCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "status", abstract: "Show the clock of every node, and when every camera exposes.",
        discussion: """
            The bound of a node is the largest error that its rig time can have, and part of the error bound of every picture. It is at least \
            half the shortest round trip. The phase of a camera is where in its period it exposes.
            """)

    static let examples: [CommandExample] = [
        "capctl sync status",
        "capctl sync status -o wide",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var following: WatchOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            guard following.watch else { return try output.show(try await Self.report(client), on: console) }
            try await ReportWatch(output: output, console: console).run(client) { try await Self.report(client) }
        }
        return .complete
    }

    private static func report(_ client: RigClient) async throws -> SyncStatusReport {
        let (status, devices) = try await client.state()
        return SyncStatusReport(status: status, devices: devices)
    }
}
