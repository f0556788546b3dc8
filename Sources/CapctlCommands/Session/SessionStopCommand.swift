internal import ArgumentParser
internal import RigClient

/// `capctl session stop`.
struct SessionStopCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop cameras, so that other programs can have them.",
        discussion: """
            Stopped cameras stay stopped until `capctl session start`, or until their agent is started again, which then \
            does what its configuration says (standby).
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) { client, device, timeout throws(RigClientError) in
            try await client.stopSession(of: device, timeout: timeout)
        }
    }
}
