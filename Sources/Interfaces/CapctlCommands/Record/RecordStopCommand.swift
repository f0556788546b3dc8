internal import ArgumentParser
internal import CaptureModel
internal import RigClient

/// `capctl record stop`.
struct RecordStopCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "stop", abstract: "End a take: every camera records until one instant.",
        discussion: """
            Returns when every movie is durable in the library or has another outcome. If the command is interrupted, the \
            movies are still collected; `capctl takes show` reports them. Repeating it for a take that has ended gives the \
            same result. On a terminal, it then asks for a title if the take has none and neither --title nor --no-title is given.
            """)

    static let examples: [CommandExample] = [
        .after("capctl record start --all", line: "capctl record stop --title \"First take\""),
        .after("capctl record start --all", line: "capctl record stop last --no-title"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions
    @OptionGroup var title: TakeTitleOptions

    @Argument(
        help:
            "The take: its id, the beginning or the last six characters of it, or last; optional if only one take records.",
        completion: .takes,
        transform: ShotReference.argument)
    var take: ShotReference?

    func perform(_ console: Console) async throws -> CommandStatus {
        let remark =
            "interrupted; the take ends, and its movies are collected without this command: capctl takes list"
            + (title.title == nil ? "" : "; its title is not set: capctl takes edit")
        var document = try await StopSignals.untilStopped(remark) { [rig, take] in
            try await rig.withClient { client in
                var id: ShotID?
                if let take { id = try await client.id(of: take, last: .takes) }
                return try await Self.stop(StopTakeRequest(take: id), by: client, console)
            }
        }
        let titling = await setTitle(of: &document, console)
        try output.show(TakeReport(document), on: console)
        return CommandStatus(of: document.shot).worse(titling)
    }

    /// The take has ended, so a title that cannot be set costs nothing but the title.
    private func setTitle(of document: inout LocatedShot, _ console: Console) async -> CommandStatus {
        guard let text = title.choice(for: document, console) else { return .complete }
        let id = document.shot.id
        do {
            document.annotation = try await rig.withClient { client in
                try await client.edit(id, ShotAnnotationEdit(title: text)).annotation
            }
            return .complete
        } catch {
            console.note(
                """
                capctl: the take has ended, but its title is not known to be set: \(error). To set it: \
                capctl takes edit \(id) --title TITLE

                """)
            return CommandStatus(of: error)
        }
    }

    private static func stop(_ request: StopTakeRequest, by client: RigClient, _ console: Console) async throws
        -> LocatedShot
    {
        defer { console.endProgress() }
        for try await update in client.stop(request) {
            switch update {
            case .progress(let progress): console.progress(ShotWatch.line(progress))
            case .repeated: console.progress("no answer, asking again")
            case .answered(let document): return await annotated(document, by: client)
            }
        }
        throw CancellationError()
    }

    /// The answer to a stop does not have the take's title. Where it cannot be read, the document stays without a version.
    private static func annotated(_ document: LocatedShot, by client: RigClient) async -> LocatedShot {
        guard let stored = try? await client.shot(document.shot.id) else { return document }
        var document = document
        (document.annotation, document.version) = (stored.annotation, stored.version)
        return document
    }
}
