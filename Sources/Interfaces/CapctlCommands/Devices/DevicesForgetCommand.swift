internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl devices forget`.
struct DevicesForgetCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove devices from the roster.",
        discussion: """
            For devices that are gone for good. One that a connected node still has is refused, and nothing is removed: take \
            it out of the node's configuration before.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "Devices, as node/device.", transform: { try DeviceID($0) })
    var devices: [DeviceID]

    func perform(_ console: Console) async throws -> CommandStatus {
        let forgotten = try await rig.withClient { try await $0.forget(devices) }
        console.write(try ForgottenReport(devices: forgotten).rendered(as: output.format))
        let unknown = devices.filter { !forgotten.contains($0) }
        guard !unknown.isEmpty else { return .complete }
        let names = unknown.map(\.description).joined(separator: ", ")
        console.note("capctl: not in the roster: \(names); `capctl devices` lists what is\n")
        return forgotten.isEmpty ? .failed : .partial
    }
}

/// Devices that were removed.
struct ForgottenReport: Report {
    var devices: [DeviceID]

    var document: [String: [DeviceID]] { ["forgotten": devices] }
    var table: String { devices.map { "\($0)\n" }.joined() }
}
