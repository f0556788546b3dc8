internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl devices set`.
struct DevicesSetCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "set",
        abstract: "Set controls of a device, all or none, and print the values that were read back.",
        discussion:
            "`capctl devices show -o wide` lists the controls with their ranges and units. The device must be running."
    )

    static let examples: [CommandExample] = [
        "capctl devices set node1/cam1 gain=12"
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    @Argument(help: "Device, as node/device.", completion: .devices, transform: { try DeviceID($0) })
    var device: DeviceID

    @Argument(
        help: ArgumentHelp("Controls, as NAME=VALUE, such as gain=12.", valueName: "name=value"),
        transform: DevicesSetCommand.assignment)
    var values: [ControlValue]

    func validate() throws {
        guard Set(values.map(\.name)).count == values.count else {
            throw ValidationError("A control is given twice; give one value for each control.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let request = Dictionary(values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        let timeout = patience.timeout
        let result = try await rig.withClient { try await $0.setControls(of: device, request, timeout: timeout) }
        try output.show(ControlValueReport(device: device, values: result), on: console)
        return .complete
    }

    /// A control and its value, as the command line names them.
    struct ControlValue: Equatable, Sendable {
        var name: String
        var value: Int64
    }

    static func assignment(_ text: String) throws -> ControlValue {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let value = number(parts[1]) else {
            throw ValidationError("'\(text)' is not NAME=VALUE with an integer, such as gain=12 or 3a_lock=0x1")
        }
        return ControlValue(name: String(parts[0]), value: value)
    }

    private static func number(_ text: Substring) -> Int64? {
        text.hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
    }
}

/// The values of controls after they were set.
struct ControlValueReport: Report {
    var device: DeviceID
    var values: [String: Int64]

    var document: ControlValuesDocument { ControlValuesDocument(device, values: values) }

    func table(_ layout: TextLayout) -> String {
        values.sorted { $0.key < $1.key }.map { "\(Table.printable($0.key))=\($0.value)\n" }.joined()
    }
}
