internal import ArgumentParser
internal import CaptureModel
internal import CaptureSystem
internal import PosixSupport
internal import RigClient

/// `capctl trigger`.
struct TriggerCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "trigger", abstract: "Take one picture of one instant with all the cameras meant.",
        discussion: """
            Returns when every still is durable in the library or has another outcome, with how simultaneous they really \
            were. Repeating a command with the same --id cannot fire twice: it gives the first result.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var shot: ShotOptions

    @Option(help: "The shot's id, a UUIDv7; one is made otherwise.", transform: ShotID.argument)
    var id: ShotID?

    func validate() throws {
        guard !shot.cameras.isEmpty else {
            throw ValidationError(
                "Say which cameras: --all, or any of --type, --position, --first, --node, --device, --label.")
        }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        let request = TriggerRequest(
            shot: id ?? .fresh(at: SystemTimeSource()), request: shot.request, timeout: shot.timeout)
        let remark = "interrupted; the shot goes on: capctl shots show \(request.shot)"
        let document = try await StopSignals.untilStopped(remark) { [rig] in
            try await rig.withClient { try await ShotWatch(console: console).take(request, by: $0) }
        }
        console.write(try ShotReport(document).rendered(as: output.format))
        return CommandStatus(of: document.shot.status)
    }
}

extension ShotID {
    /// An id for a shot that is asked for at this moment.
    static func fresh(at time: some TimeSource) -> ShotID {
        var generator = SystemRandomNumberGenerator()
        return ShotID(
            unixMilliseconds: time.wallClockPair().realtimeNanoseconds / 1_000_000, using: &generator)
    }
}
