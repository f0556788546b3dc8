internal import ArgumentParser
internal import RigClient

/// `capctl status`.
struct StatusCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "The coordinator and its nodes: connections, clocks, space.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let status = try await rig.withClient { try await $0.status() }
        console.write(try StatusReport(status: status).rendered(as: output.format))
        return .complete
    }
}
