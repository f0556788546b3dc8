internal import ArgumentParser
internal import CaptureModel
internal import CaptureSystem
internal import RigClient

/// `capctl record start`.
struct RecordStartCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Begin a take: every camera records from one instant on.",
        discussion: """
            Returns when every camera records, or has said why it does not, durably. Each then records until `capctl \
            record stop` or a limit. Repeating a command with the same --id begins no second take.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup(title: "Which cameras") var cameras: SelectionOptions
    @OptionGroup(title: "How long") var limits: MovieOptions

    @Option(
        help: ArgumentHelp("How far ahead the beginning lies, instead of as soon as possible.", valueName: "duration"),
        transform: MovieOptions.duration)
    var lead: Duration?

    @Flag(help: "Record nothing unless every selected camera can.")
    var requireAll = false

    @Option(help: "The take's id, a UUIDv7; one is made otherwise.", transform: ShotID.argument)
    var id: ShotID?

    func validate() throws {
        guard !cameras.isEmpty else {
            throw ValidationError(
                "Say which cameras: --all, or any of --type, --position, --first, --node, --device, --label.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let request = TriggerRequest(
            shot: id ?? .fresh(at: SystemTimeSource()),
            request: ShotRequest(
                selection: cameras.selection, settings: PhotoSettings(movie: limits.settings),
                time: .soon(lead: lead?.nanoseconds), requireAll: requireAll))
        let remark = "interrupted; the cameras record all the same: capctl record stop \(request.shot)"
        let document = try await StopSignals.untilStopped(remark) { [rig] in
            try await rig.withClient { try await ShotWatch(console: console).take(request, by: $0) }
        }
        console.write(try TakeReport(document).rendered(as: output.format))
        return TakeReport.beginning(of: document.shot)
    }
}
