import CaptureModel
import Testing

@testable import RigCore

@Suite struct HelloRequestsTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    @Test("Asks a node for a lost hello at intervals")
    func askedAgain() throws {
        var greetings = HelloRequests()
        let silent: Set = [try NodeName("south"), try NodeName("north")]
        #expect(greetings.nextDue(silent: silent, at: start).isEmpty)
        #expect(greetings.nextInstant == start + .seconds(2))
        #expect(greetings.nextDue(silent: silent, at: start + .seconds(2)).map(\.rawValue) == ["north", "south"])
        #expect(greetings.nextDue(silent: silent, at: start + .seconds(3)).isEmpty)
        #expect(greetings.nextInstant == start + .seconds(4))
    }

    @Test("Asks only nodes that have not said hello")
    func greeted() throws {
        var greetings = HelloRequests()
        _ = greetings.nextDue(silent: [try NodeName("north")], at: start)
        #expect(greetings.nextDue(silent: [], at: start + .seconds(5)).isEmpty)
        #expect(greetings.nextInstant == nil)
    }
}
