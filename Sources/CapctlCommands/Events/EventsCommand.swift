internal import ArgumentParser
internal import RigClient

/// `capctl events`.
struct EventsCommand: CapctlCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Follow what happens on the rig, without gaps.",
        discussion: """
            Goes on through restarts of the coordinator until it is interrupted. With --format json every event is one \
            line; a gap, a silence or a restart is told on standard error.
            """)

    @OptionGroup var rig: RigOptions
    @OptionGroup var output: FormatOptions

    @Flag(help: "Begin with the oldest event that the coordinator still holds.")
    var replay = false

    @Option(help: "End after so many events.")
    var count: Int?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func perform(_ console: Console) async throws -> CommandStatus {
        try await rig.withClient { client in
            var remaining = count ?? .max
            for try await item in client.events(from: replay ? .beginning : .now) {
                if try show(item, console) { remaining -= 1 }
                if remaining == 0 { break }
            }
        }
        return .complete
    }

    /// Prints an item.
    /// - Returns: Whether it was an event.
    private func show(_ item: RigFeedItem, _ console: Console) throws -> Bool {
        switch item {
        case .event(let event):
            switch output.format {
            case .table: console.write(EventLine(event).text + "\n")
            case .json: console.write(try JSONText.line(EventDocument(event)))
            }
            return true
        case .skipped(let count):
            console.note("capctl: \(count) events are lost; the coordinator no longer holds them\n")
        case .restarted:
            console.note("capctl: the coordinator has started anew\n")
        case .silent:
            console.note("capctl: the coordinator at \(rig.coordinator) is silent; waiting for it\n")
        }
        return false
    }
}
