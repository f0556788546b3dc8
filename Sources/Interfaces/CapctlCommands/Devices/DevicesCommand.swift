internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl devices`.
struct DevicesCommand: ExplainedCommand {
    static let help = CommandConfiguration(
        commandName: "devices", abstract: "List, show, configure and remove the cameras and microphones of the rig.",
        subcommands: [
            DevicesListCommand.self, DevicesShowCommand.self, DevicesSetCommand.self, DevicesForgetCommand.self,
        ], defaultSubcommand: DevicesListCommand.self)

    static let examples: [CommandExample] = [
        "capctl devices",
        "capctl devices show node1/cam1",
    ]
}

/// `capctl devices forget`.
struct DevicesForgetCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "forget", abstract: "Remove devices from the roster.",
        discussion: """
            For devices that were removed permanently. If a connected node still has one of the devices, the command is \
            refused and removes nothing: first remove the device from the node's configuration.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl devices forget node1/cam1", needs: "a device that was removed")
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "Devices, as node/device.", completion: .devices, transform: { try DeviceID($0) })
    var devices: [DeviceID]

    func perform(_ console: Console) async throws -> CommandStatus {
        let forgotten = try await rig.withClient { try await $0.forget(devices) }
        try output.show(ForgottenReport(devices: forgotten), on: console)
        let unknown = devices.filter { !forgotten.contains($0) }
        guard !unknown.isEmpty else { return .complete }
        let names = unknown.map(\.description).joined(separator: ", ")
        console.note("capctl: not in the roster: \(names); `capctl devices` lists the devices\n")
        return forgotten.isEmpty ? .nothingSelected : .partial
    }
}

/// Devices that were removed.
struct ForgottenReport: Report {
    var devices: [DeviceID]

    var document: ForgottenDevicesDocument { ForgottenDevicesDocument(devices) }
    var names: [String]? { devices.map(\.description) }
    func table(_ layout: TextLayout) -> String { devices.map { "\($0)\n" }.joined() }
}

/// `capctl devices list`.
struct DevicesListCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "list", abstract: "List every known device with its state.",
        discussion:
            "A device that was part of the rig stays listed, as unreachable or absent, until `capctl devices forget` removes it."
    )

    static let examples: [CommandExample] = [
        "capctl devices list",
        "capctl devices list -o wide",
        .shown("capctl devices list --watch", needs: "Ctrl-C to end"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var following: WatchOptions

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            guard following.watch else {
                return try output.show(DeviceReport(devices: try await client.devices()), on: console)
            }
            try await ReportWatch(output: output, console: console).run(client) {
                DeviceReport(devices: try await client.devices())
            }
        }
        return .complete
    }
}

/// `capctl devices show`.
struct DevicesShowCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "show", abstract: "Show a device's description, formats and controls.",
        discussion: "The node asks the hardware again, even while it streams.")

    static let examples: [CommandExample] = [
        "capctl devices show node1/cam1",
        "capctl devices show node1/cam1 -o wide",
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    @Argument(help: "Device, as node/device.", completion: .devices, transform: { try DeviceID($0) })
    var device: DeviceID

    func perform(_ console: Console) async throws -> CommandStatus {
        let timeout = patience.timeout
        let details = try await rig.withClient { try await $0.describe(device, timeout: timeout) }
        try output.show(DeviceDetailsReport(details: details), on: console)
        guard details.obstacle == nil else { return .partial }
        return .complete
    }
}
