internal import ArgumentParser
internal import RigClient

/// `capctl devices list`.
struct DevicesListCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List every known device with its state.",
        discussion:
            "A device that was once part of the rig stays listed, as unreachable or absent, until it is forgotten.")

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        let devices = try await rig.withClient { try await $0.devices() }
        console.write(try DeviceReport(devices: devices).rendered(as: output.format))
        return .complete
    }
}
