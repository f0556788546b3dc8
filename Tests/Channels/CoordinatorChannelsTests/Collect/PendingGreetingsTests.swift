import CaptureModel
import Testing

@testable import CoordinatorChannels

@Suite struct PendingGreetingsTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    @Test("A node whose hello was lost keeps its files for ever, or is asked without pause")
    func askedAgain() throws {
        var greetings = PendingGreetings()
        let silent: Set = [try NodeName("south"), try NodeName("north")]
        #expect(greetings.takeDue(silent: silent, at: start).isEmpty)
        #expect(greetings.nextInstant == start + .seconds(2))
        #expect(greetings.takeDue(silent: silent, at: start + .seconds(2)).map(\.rawValue) == ["north", "south"])
        #expect(greetings.takeDue(silent: silent, at: start + .seconds(3)).isEmpty)
        #expect(greetings.nextInstant == start + .seconds(4))
    }

    @Test("A node that has said hello is asked for one")
    func greeted() throws {
        var greetings = PendingGreetings()
        _ = greetings.takeDue(silent: [try NodeName("north")], at: start)
        #expect(greetings.takeDue(silent: [], at: start + .seconds(5)).isEmpty)
        #expect(greetings.nextInstant == nil)
    }
}
