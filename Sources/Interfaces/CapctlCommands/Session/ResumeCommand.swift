internal import ArgumentParser
internal import RigClient

/// `capctl resume`.
struct ResumeCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "Try cameras again that have failed; ends when each runs or has failed.",
        discussion: "A camera that waits for its next attempt is tried at once.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var sessions: SessionOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        try await sessions.perform(rig, output, console) { client, device, timeout throws(RigClientError) in
            try await client.resumeSession(of: device, timeout: timeout)
        }
    }
}
