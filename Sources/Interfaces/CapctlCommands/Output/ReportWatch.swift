internal import ArgumentParser
internal import CaptureModel
internal import RigClient
internal import SystemClock

internal import class PosixSupport.Locked

/// The option of lists that follow the rig.
struct WatchOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show this again whenever something changes, until Ctrl-C.")
    var watch = false
}

/// Shows a report again whenever the rig tells an event.
///
/// Events only say that something may have changed. So the report is requested again, at most once within ``pause``, and is shown if
/// it differs: in place of the one before on a terminal, otherwise below it.
struct ReportWatch: Sendable {
    /// The shortest time between two requests.
    static let pause = Duration.milliseconds(250)

    var output: FormatOptions
    var console: Console
    var time: any TimeSource = SystemTimeSource()

    /// Shows reports until the task is cancelled.
    /// - Throws: `RigClientError` if the rig refuses, or has never answered.
    func run(_ client: RigClient, _ report: @escaping @Sendable () async throws -> any Report) async throws {
        let (changes, change) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        change.yield()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await item in client.events(from: .now) where item != .silent { change.yield() }
                change.finish()
            }
            group.addTask { try await show(on: changes, report) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Shows a report for each change, and changes that come close together as one.
    /// - Parameter changes: Holds one element at most.
    func show(
        on changes: AsyncStream<Void>, _ report: @escaping @Sendable () async throws -> any Report
    ) async throws {
        var shown: String?
        for await _ in changes {
            do {
                let text = try text(of: try await report())
                if text != shown { console.write(isFirst: shown == nil, text) }
                shown = text
            } catch  where shown != nil && CommandStatus(of: error) == .noCoordinator {
                console.note("capctl: \(error)\n")
            }
            try await time.sleep(for: Self.pause)
        }
    }

    /// The report as the command prints it once, with what it says of an empty list.
    private func text(of report: some Report) throws -> String {
        let text = Locked("")
        var page = console
        page.write = { part in text.withLock { $0 += part } }
        page.note = { part in text.withLock { $0 += part } }
        try output.show(report, on: page)
        return text.withLock(\.self)
    }
}

extension Console {
    /// Writes a report in place of the one before, if data goes to a terminal.
    fileprivate func write(isFirst: Bool, _ text: String) {
        // To the top left, and everything below and above it cleared.
        write((isScreen ? "\u{1B}[H\u{1B}[2J\u{1B}[3J" : isFirst ? "" : "\n") + text)
    }
}
