internal import ArgumentParser
internal import RigClient

/// `capctl session start`.
struct SessionStartCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Let cameras run; ends when each runs or has failed.",
        discussion: "Starts what was stopped or is on standby, and tries again what has failed.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) { client, device, timeout throws(RigClientError) in
            try await client.startSession(of: device, timeout: timeout)
        }
    }
}
