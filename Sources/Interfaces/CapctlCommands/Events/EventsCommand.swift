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
            let feed = FeedPrinter(format: output.format, coordinator: rig.coordinator, console: console)
            for try await item in client.events(from: replay ? .beginning : .now) {
                if try feed.show(item) { remaining -= 1 }
                if remaining == 0 { break }
            }
        }
        return .complete
    }
}
