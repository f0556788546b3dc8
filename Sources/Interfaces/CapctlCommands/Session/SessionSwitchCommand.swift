internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl session switch`.
struct SessionSwitchCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "switch", abstract: "Replace a running camera by another camera of its node.",
        discussion: """
            The camera is stopped and the other one is started in its session. If that fails, the old one is started \
            again. The command prints what changes for stills. With --check nothing changes: the command says whether the \
            cameras could be switched, and if not, why, with the status of a refusal.
            """)

    static let examples: [CommandExample] = [
        .shown("capctl session switch --check node1/cam1 cam2", needs: "a camera that is stopped"),
        .shown("capctl session switch node1/cam1 cam2", needs: "a camera that is stopped"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var patience: DeviceTimeoutOptions

    @Flag(help: "Say whether the camera could be replaced at present; change nothing.")
    var check = false

    @Argument(help: "The running camera, as node/device.", completion: .devices, transform: { try DeviceID($0) })
    var device: DeviceID

    @Argument(help: "The camera of the same node that replaces it.", transform: { try DeviceName($0) })
    var replacement: DeviceName

    func validate() throws {
        if check, output.format == .name {
            throw ValidationError("The answer to --check has no name; omit -o name.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        if check { return try await answerOnly(console) }
        let result = try await rig.withClient {
            try await $0.switchInput(of: device, to: replacement, timeout: patience.timeout)
        }
        let outcome = SessionOutcome(device: result.device, result: .success(result))
        try output.show(SessionReport(outcomes: [outcome]), on: console)
        return .complete
    }

    private func answerOnly(_ console: Console) async throws -> CommandStatus {
        let objection = try await rig.withClient {
            try await $0.objection(toSwitching: device, to: replacement, timeout: patience.timeout)
        }
        let report = SwitchAnswerReport(device: device, replacement: replacement, objection: objection)
        try output.show(report, on: console)
        guard let objection else { return .complete }
        return objection.reason == .unknownDevice ? .nothingSelected : .failed
    }
}

/// Whether a camera can be replaced by another one.
struct SwitchAnswerReport: Report {
    var device: DeviceID
    var replacement: DeviceName
    var objection: SwitchObjection?

    var document: SwitchAnswerDocument { SwitchAnswerDocument(device, to: replacement, objection) }

    func table(_ layout: TextLayout) -> String {
        guard let objection else { return "\(device) can be switched to \(replacement)\n" }
        return "\(objection.reason.rawValue): \(objection)\n"
    }
}
