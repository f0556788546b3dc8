internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl devices show`.
struct DevicesShowCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show what a device is, offers, and is set to.",
        discussion: "Its node asks the hardware anew, whether it streams or not.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    @Argument(help: "Device, as node/device.", transform: { try DeviceID($0) })
    var device: DeviceID

    func perform(_ console: Console) async throws -> CommandStatus {
        let timeout = patience.timeout
        let details = try await rig.withClient { try await $0.describe(device, timeout: timeout) }
        console.write(try DeviceDetailsReport(details: details).rendered(as: output.format))
        guard details.obstacle == nil else { return .partial }
        return .complete
    }
}
