internal import ArgumentParser
internal import RigClient

/// `capctl status`.
struct StatusCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "status", abstract: "Show the coordinator and its nodes: connections, clocks, space.")

    static let examples: [CommandExample] = [
        "capctl status",
        .shown("capctl status --watch", needs: "Ctrl-C to end"),
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

    private static func report(_ client: RigClient) async throws -> StatusReport {
        StatusReport(status: try await client.status(), devices: try await client.devices())
    }
}
