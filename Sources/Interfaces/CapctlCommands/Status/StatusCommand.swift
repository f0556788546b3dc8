internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl status`.
struct StatusCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the coordinator and its nodes: connections, clocks, space.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let report = try await rig.withClient { client in
            StatusReport(status: try await client.status(), devices: try await client.devices())
        }
        console.write(try report.rendered(as: output.format))
        return .complete
    }
}
