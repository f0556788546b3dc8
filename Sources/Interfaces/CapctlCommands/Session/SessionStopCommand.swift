internal import ArgumentParser
internal import RigClient

/// `capctl session stop`.
struct SessionStopCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop cameras, so that other programs can have them.",
        discussion: """
            Stopped cameras stay stopped until `capctl session start`, or until their agent is started again, which then \
            does what its configuration says (standby). A camera that records a movie is not stopped without --force.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    @Flag(help: "Stop cameras that record too, and say what is cut off; what was recorded until then is kept.")
    var force = false

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) { [force] client, device, timeout throws(RigClientError) in
            try await client.stopSession(of: device, force: force, timeout: timeout)
        }
    }
}
