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
///
/// | state | event | what is said | next |
/// |---|---|---|---|
/// | current | the coordinator is silent, or does not answer a request | since when what is shown is not current | outdated |
/// | outdated | `pause` passes: the report is requested; without an answer | – | outdated |
/// | outdated | an answer | the report; if it is the same and not on a terminal, that it is current | current |
struct ReportWatch: Sendable {
    /// The shortest time between two requests.
    static let pause = Duration.milliseconds(250)

    /// What the feed tells.
    enum Change: Sendable {
        /// Something may have changed.
        case news
        /// The coordinator is silent since its last sign of life.
        case silence(since: LocalTime)
    }

    var output: FormatOptions
    var console: Console
    var time: any TimeSource = SystemTimeSource()

    /// Shows reports until the task is cancelled.
    /// - Throws: `RigClientError` if the rig refuses, or has never answered.
    func run(_ client: RigClient, _ report: @escaping @Sendable () async throws -> any Report) async throws {
        let (changes, change) = AsyncStream.makeStream(of: Change.self, bufferingPolicy: .bufferingNewest(1))
        change.yield(.news)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for try await item in client.events(from: .now) {
                    if case .silent(let since) = item {
                        change.yield(.silence(since: since))
                    } else {
                        change.yield(.news)
                    }
                }
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
        on changes: AsyncStream<Change>, _ report: @escaping @Sendable () async throws -> any Report
    ) async throws {
        var page = Page()
        for await change in changes {
            switch change {
            case .news: page.heard = time.now()
            case .silence(let since): outdate(&page, since: since)
            }
            repeat {
                do {
                    show(try text(of: try await report()), on: &page)
                } catch  where page.text != nil && CommandStatus(of: error) == .noCoordinator {
                    outdate(&page, since: page.heard)
                }
                try await time.sleep(for: Self.pause)
            } while page.isOutdated
        }
    }

    /// What is shown.
    private struct Page {
        /// nil before the first report.
        var text: String?
        /// The last sign of life of the coordinator.
        var heard = LocalTime(nanoseconds: 0)
        var isOutdated = false
    }

    private func show(_ text: String, on page: inout Page) {
        // On a terminal, the remark that it is outdated stands below it.
        if text != page.text || page.isOutdated && console.isScreen {
            console.write(isFirst: page.text == nil, text)
        } else if page.isOutdated {
            console.note("capctl: the coordinator answers again; nothing has changed\n")
        }
        page = Page(text: text, heard: time.now())
    }

    /// Says once that what is shown is not current.
    private func outdate(_ page: inout Page, since: LocalTime) {
        guard page.text != nil, !page.isOutdated else { return }
        page.isOutdated = true
        let instant = time.wallClockPair().realtimeNanoseconds(at: max(since, page.heard))
        console.note(
            "capctl: the coordinator does not answer; this is not current since \(output.layout(console).time(instant))\n"
        )
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
