internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl record stop`.
struct RecordStopCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "End a take: every camera records until one instant.",
        discussion: """
            Returns when every movie is durable in the library or has another outcome. If the command is interrupted, the \
            movies are still collected; `capctl takes show` reports them. Repeating it for a take that has ended gives the \
            same result.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "The take's id; optional if only one take records.", transform: ShotID.argument)
    var take: ShotID?

    func perform(_ console: Console) async throws -> CommandStatus {
        let request = StopTakeRequest(take: take)
        let remark = "interrupted; the take ends, and its movies are collected without this command: capctl takes list"
        let document = try await StopSignals.untilStopped(remark) { [rig] in
            try await rig.withClient { try await Self.stop(request, by: $0, console) }
        }
        console.write(try TakeReport(document).rendered(as: output.format))
        return CommandStatus(of: document.shot.status)
    }

    private static func stop(_ request: StopTakeRequest, by client: RigClient, _ console: Console) async throws
        -> LocatedShot
    {
        defer { console.endProgress() }
        for try await update in client.stop(request) {
            switch update {
            case .progress(let progress): console.progress(ShotWatch.line(progress))
            case .repeated: console.progress("no answer, asking again")
            case .answered(let document): return document
            }
        }
        throw CancellationError()
    }
}
