internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl session switch`.
struct SessionSwitchCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Put another camera of the node in a running camera's place.",
        discussion: """
            The camera is stopped and the other one started in its session; where that fails, the old one runs again. \
            What changes of the stills is told.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    @Argument(help: "The camera that runs, as node/device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Argument(help: "The camera of the same node that takes its place.", transform: { try DeviceName($0) })
    var replacement: DeviceName

    func perform(_ console: Console) async throws -> CommandStatus {
        let result = try await rig.withClient {
            try await $0.switchInput(of: device, to: replacement, timeout: patience.timeout)
        }
        let outcome = SessionOutcome(device: result.device, result: .success(result))
        console.write(try SessionReport(outcomes: [outcome]).rendered(as: output.format))
        return .complete
    }
}
