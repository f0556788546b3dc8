import ArgumentParser
import CaptureModel
import CaptureTestSupport
import RigClient
import ShotDocuments
import Synchronization
import Testing

@testable import CapctlCommands

@Suite struct TakeTitleTests {
    /// A console at which a person types lines, the questions and remarks that it shows, and how many lines were not read.
    private final class Person: Sendable {
        private let lines: Mutex<[String]>
        private let shown = Mutex<[String]>([])

        init(typing lines: String...) { self.lines = Mutex(lines) }

        var seen: [String] { shown.withLock { $0 } }

        var console: Console {
            Console(
                write: { _ in }, note: { text in self.shown.withLock { $0.append(text) } }, isTerminal: true,
                ask: { question in
                    self.shown.withLock { $0.append(question) }
                    return self.lines.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                })
        }
    }

    private func options(_ arguments: String...) throws -> TakeTitleOptions {
        try #require(try Capctl.parseAsRoot(["record", "stop"] + arguments) as? RecordStopCommand).title
    }

    /// A take that has ended, with a stored movie.
    private func take(title: String = "", stored: Bool = true, isKnown: Bool = true) throws -> LocatedShot {
        var shot = try SampleShot().shot
        for index in shot.captures.indices {
            var movie = CapturedFile(kind: .movie(.first))
            if stored && index == 0 { (movie.outcome, movie.path) = (.done, "n1.cam1/movie.mov") }
            shot.captures[index].files = [movie]
        }
        var take = LocatedShot(
            shot: shot, folder: "x", library: "/library", annotation: ShotAnnotation(title: title))
        if isKnown { take.version = ContentDigest(hashing: ["x"]) }
        return take
    }

    @Test func `A title of the command line is set, and nobody is asked`() throws {
        let person = Person(typing: "Other")
        #expect(try options("--title", "First jump").choice(for: take(), person.console) == "First jump")
        #expect(try options("--title", "First jump").choice(for: take(title: "Old"), person.console) == "First jump")
        #expect(try options("--title", "").choice(for: take(title: "Old"), person.console) == "")
        #expect(person.seen.isEmpty)
    }

    @Test func `Whoever declines is not asked`() throws {
        let person = Person(typing: "Other")
        #expect(try options("--no-title").choice(for: take(), person.console) == nil)
        #expect(person.seen.isEmpty)
    }

    @Test func `A take without title is asked for one, by its id`() throws {
        let person = Person(typing: "First jump")
        #expect(try options().choice(for: take(), person.console) == "First jump")
        #expect(person.seen.count == 1 && person.seen[0].contains("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"))
    }

    @Test(arguments: [[""], []])
    func `An empty line and the end of the input decline`(lines: [String]) throws {
        let person = Person()
        let typing = lines.isEmpty ? person : Person(typing: lines[0])
        #expect(try options().choice(for: take(), typing.console) == nil)
        #expect(typing.seen.count == 1)
    }

    @Test func `A line that cannot be a title is refused with the reason, and asked for again`() throws {
        let person = Person(typing: "a\u{1B}[Db", String(repeating: "t", count: 257), "First jump")
        #expect(try options().choice(for: take(), person.console) == "First jump")
        #expect(person.seen.count == 5, "three questions, two reasons")
        #expect(person.seen[1].contains("control characters") && person.seen[3].contains("257 bytes"))
    }

    @Test func `A take with a title, with an unknown one, or without a movie is not asked about`() throws {
        let person = Person(typing: "Other")
        #expect(try options().choice(for: take(title: "Old"), person.console) == nil)
        #expect(try options().choice(for: take(isKnown: false), person.console) == nil)
        #expect(try options().choice(for: take(stored: false), person.console) == nil)
        #expect(person.seen.isEmpty)
    }

    @Test func `Without a terminal nobody is asked`() throws {
        let console = Console(write: { _ in }, note: { Issue.record("noted: \($0)") }, isTerminal: false)
        #expect(try options().choice(for: take(), console) == nil)
    }

    @Test(arguments: [
        ["--title", "x", "--no-title"], ["--title", "two\nlines"], ["--title", String(repeating: "t", count: 257)],
    ])
    func `What is not a title is a wrong command line`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Capctl.parseAsRoot(["record", "stop"] + arguments) }
    }
}
