internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import RigDocuments

/// `capctl events`.
struct EventsCommand: ReportingCommand {
    static let help = CommandConfiguration(
        commandName: "events", abstract: "Follow the events of the rig, without gaps.",
        discussion: """
            Continues after restarts of the coordinator, until it is interrupted. With --format json every event is one \
            line. Gaps, silence and restarts are reported on standard error.
            """)

    static let examples: [CommandExample] = [
        "capctl events --since 10m --count 3",
        .shown("capctl events -o json | jq .name", needs: "another program"),
    ]

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: NamelessFormatOptions

    @Flag(help: "Begin with the oldest event that the coordinator has.")
    var replay = false

    @Option(
        help: ArgumentHelp(
            "Begin with the oldest event that the coordinator has and that is not before this: how long ago (10m), or a date.",
            valueName: "time"),
        transform: ShotQueryOptions.realtime)
    var since: Int64?

    @Option(help: "End after this number of events.")
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            var remaining = count ?? .max
            let feed = FeedPrinter(output: output, coordinator: await client.endpoint, console: console)
            for try await item in client.events(from: replay || since != nil ? .beginning : .now) {
                if case .event(let event) = item, event.source.event.realtimeNanoseconds < since ?? .min { continue }
                if try feed.show(item) { remaining -= 1 }
                if remaining == 0 { break }
            }
        }
        return .complete
    }
}

/// One line of `capctl events` for people.
struct EventLine {
    var text: String

    init(_ event: FeedEvent, _ layout: TextLayout) {
        let source = event.source.event
        let subject = source.device?.description ?? event.node?.rawValue ?? "coordinator"
        var words = [
            layout.time(source.realtimeNanoseconds), Self.padded(subject, 16), Self.padded(source.name.rawValue, 28),
        ]
        if let shot = source.shot { words.append("shot=\(shot)") }
        words += source.details.sorted { $0.key < $1.key }.map { "\($0.key)=\(Self.printable($0.value))" }
        text = words.joined(separator: "  ")
        while text.last == " " { text.removeLast() }
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func printable(_ text: String) -> String {
        text.contains(where: \.isWhitespace) ? "\"\(Table.printable(text))\"" : Table.printable(text)
    }
}

/// Prints the items of the feed: an event is one line, messages about the feed itself go to standard error.
struct FeedPrinter {
    var output: NamelessFormatOptions
    /// The coordinator's endpoint, as given on the command line.
    var coordinator: String
    var console: Console

    /// Prints an item.
    /// - Returns: Whether it was an event.
    func show(_ item: RigFeedItem) throws -> Bool {
        switch item {
        case .event(let event):
            console.write(
                output.format == .json
                    ? try JSONText.line(EventDocument(event))
                    : EventLine(event, output.layout(console)).text + "\n")
            return true
        case .skipped(let count?):
            console.note("capctl: \(count) events are lost: the coordinator has already dropped them\n")
        case .skipped(nil):
            console.note("capctl: events may be lost: the coordinator no longer knows what followed the last one\n")
        case .restarted:
            console.note("capctl: the coordinator has restarted\n")
        case .silent:
            console.note("capctl: the coordinator at \(coordinator) is silent; waiting for it\n")
        }
        return false
    }
}
