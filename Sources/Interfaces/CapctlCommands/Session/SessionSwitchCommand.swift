internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl session switch`.
struct SessionSwitchCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "switch", abstract: "Replace a running camera by another camera of its node.",
        discussion: """
            The camera is stopped and the other one is started in its session. If that fails, the old one is started \
            again. The command prints what changes for stills.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    @Argument(help: "The running camera, as node/device.", transform: { try DeviceID($0) })
    var device: DeviceID

    @Argument(help: "The camera of the same node that replaces it.", transform: { try DeviceName($0) })
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
