import ArgumentParser
import CaptureModel
import CaptureTestSupport
import PosixSupport
import RigClient
import Testing

@testable import CapctlCommands

@Suite struct ReportWatchTests {
    /// A report that reads as the number of times it was requested, or stays as it is.
    private struct Count: Report {
        var text: String
        var document: [String: String] { ["text": text] }
        func table(_ layout: TextLayout) -> String { text + "\n" }
    }

    private let time = ManualTimeSource()
    private let output = Locked("")
    private let notes = Locked("")
    private let requests = Locked(0)
    private let changes: AsyncStream<ReportWatch.Change>
    private let change: AsyncStream<ReportWatch.Change>.Continuation

    init() {
        (changes, change) = AsyncStream.makeStream(of: ReportWatch.Change.self, bufferingPolicy: .bufferingNewest(1))
    }

    private func watch(isScreen: Bool = false, format: [String] = []) throws -> ReportWatch {
        var console = Console(
            write: { [output] text in output.withLock { $0 += text } },
            note: { [notes] text in notes.withLock { $0 += text } }, isTerminal: isScreen)
        console.isScreen = isScreen
        let options = try FormatOptions.parse(format)
        return ReportWatch(output: options, console: console, time: time)
    }

    /// Runs a watch until the changes end, with a report for each request.
    private func run(
        _ watch: ReportWatch, _ texts: [String?], _ body: () async -> Void
    ) async throws {
        let task = Task { [changes, requests] in
            try await watch.show(on: changes) {
                let number = requests.withLock { count in
                    count += 1
                    return count - 1
                }
                guard let text = texts[min(number, texts.count - 1)] else {
                    throw RigClientError(.noCoordinator, operation: "status", endpoint: "tcp://x:1", cause: "silent")
                }
                return Count(text: text)
            }
        }
        await body()
        change.finish()
        time.advance(by: ReportWatch.pause)
        try await task.value
    }

    /// Waits until the watch pauses, and lets the pause end.
    private func pause() async {
        await time.sleepers(atLeast: 1)
        time.advance(by: ReportWatch.pause)
    }

    @Test func `Changes that come close together are one request`() async throws {
        try await run(try watch(), ["one", "two", "three"]) {
            change.yield(.news)
            await time.sleepers(atLeast: 1)
            for _ in 0..<100 { change.yield(.news) }
            await pause()
            await time.sleepers(atLeast: 1)
        }
        #expect(output.withLock(\.self) == "one\n\ntwo\n" && requests.withLock(\.self) == 2)
    }

    @Test func `What has not changed is not shown again`() async throws {
        try await run(try watch(), ["one", "one", "two"]) {
            for _ in 0..<3 {
                change.yield(.news)
                await pause()
            }
        }
        #expect(output.withLock(\.self) == "one\n\ntwo\n" && requests.withLock(\.self) == 3)
    }

    @Test func `A terminal shows the newest in place of the one before`() async throws {
        try await run(try watch(isScreen: true), ["one", "two"]) {
            for _ in 0..<2 {
                change.yield(.news)
                await pause()
            }
        }
        let clear = "\u{1B}[H\u{1B}[2J\u{1B}[3J"
        #expect(output.withLock(\.self) == "\(clear)one\n\(clear)two\n")
    }

    /// What is said of a coordinator that has been silent since this instant.
    private func remark(since: LocalTime) -> String {
        let text = TextLayout().time(time.wallClockPair().realtimeNanoseconds(at: since))
        return "capctl: the coordinator does not answer; this is not current since \(text)\n"
    }

    @Test func `A coordinator that does not answer is noted once, and asked until it is back`() async throws {
        time.advance(by: .seconds(60))
        let asked = time.now() + ReportWatch.pause
        try await run(try watch(), ["one", nil, nil, nil, "two", "two"]) {
            for _ in 0..<2 {
                change.yield(.news)
                await pause()
            }
            // Without another event.
            for _ in 0..<2 { await pause() }
            await time.sleepers(atLeast: 1)
        }
        #expect(output.withLock(\.self) == "one\n\ntwo\n" && requests.withLock(\.self) == 5)
        #expect(notes.withLock(\.self) == remark(since: asked))
    }

    @Test func `What is shown says since when the coordinator is silent, and when it is current again`() async throws {
        time.advance(by: .seconds(60))
        let last = time.now() + .milliseconds(100)
        try await run(try watch(), ["one", nil, "one"]) {
            change.yield(.news)
            await pause()
            change.yield(.silence(since: last))
            await pause()
            await time.sleepers(atLeast: 1)
        }
        #expect(output.withLock(\.self) == "one\n")
        #expect(
            notes.withLock(\.self)
                == remark(since: last) + "capctl: the coordinator answers again; nothing has changed\n")
    }

    @Test func `A terminal is cleared of the remark when the coordinator is back`() async throws {
        try await run(try watch(isScreen: true), ["one", nil, "one"]) {
            change.yield(.news)
            await pause()
            change.yield(.silence(since: time.now()))
            await pause()
            await time.sleepers(atLeast: 1)
        }
        let clear = "\u{1B}[H\u{1B}[2J\u{1B}[3J"
        #expect(output.withLock(\.self) == "\(clear)one\n\(clear)one\n")
        #expect(notes.withLock(\.self).contains("not current since"))
    }

    @Test func `A rig that never answered ends the watch`() async throws {
        await #expect(throws: RigClientError.self) {
            try await run(try watch(), [nil]) {
                change.yield(.news)
            }
        }
    }

    @Test func `Lists of a library without a coordinator cannot be followed`() throws {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["shots", "list", "-w", "--library", "x"]) }
        for command in [["shots", "list", "-w"], ["takes", "list", "--watch"], ["devices", "-w"], ["status", "-w"]] {
            _ = try Capctl.parseAsRoot(command)
        }
    }
}
