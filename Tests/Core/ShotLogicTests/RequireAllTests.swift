import CaptureModel
import ShotLogic
import Testing

@Suite struct RequireAllTests {
    @Test func oneRefusalCancelsEveryoneAndTheCulpritKeepsItsReason() throws {
        var desk = try Desk(["a/cam0", "b/cam0", "c/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("a/cam0")
        let problem = CaptureProblem(.noSpace, "The spool of node 'b' is full.")
        let actions = try desk.send(.refused(DeviceID("b/cam0"), problem))
        #expect(try actions == [cancel("a", "a/cam0"), cancel("c", "c/cam0")])
        #expect(desk.problems() == [.cancelled, .noSpace, .cancelled])
        #expect(try desk.capture(of: "a/cam0").problem?.message.contains(problem.message) == true)
        #expect(desk.answers.map(\.status) == [.failed])
        #expect(try desk.arm("c/cam0") == [cancel("c", "c/cam0")])
    }

    @Test func nobodyIsPreparedWhenANodeIsAway() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true, away: ["b"])
        #expect(desk.send(.begin) == [])
        #expect(desk.problems() == [.cancelled, .nodeUnreachable])
        #expect(desk.answers.map(\.status) == [.failed])
    }

    @Test func silenceUntilTheDeadlineCancels() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("a/cam0")
        #expect(try desk.send(.deadlinePassed, at: 2) == [cancel("a", "a/cam0")])
        #expect(desk.problems() == [.cancelled, .nodeUnreachable])
    }

    @Test func anArmedCameraWhoseNodeHasGoneIsNotFiredAt() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("b/cam0")
        desk.send(.nodeDisconnected(try NodeName("b")))
        #expect(try desk.arm("a/cam0") == [])
        #expect(try desk.send(.deadlinePassed, at: 2) == [cancel("a", "a/cam0")])
        #expect(desk.problems() == [.cancelled, .nodeUnreachable])
    }

    @Test func allArmedFires() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("a/cam0")
        #expect(try desk.arm("b/cam0") == [fire("a", "a/cam0"), fire("b", "b/cam0")])
        try desk.send(.refused(DeviceID("b/cam0"), .init(.deviceLost, "Unplugged.")), at: 1)
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        #expect(desk.shot.status == .partial)
    }

    @Test func aPictureOfACancelledShotIsNotTaken() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        #expect(try desk.send(.cancelRequested) == [cancel("a", "a/cam0"), cancel("b", "b/cam0")])
        #expect(desk.problems() == [.cancelled, .cancelled])
        #expect(try desk.capture("a/cam0") == [cancel("a", "a/cam0")])
        #expect(desk.problems() == [.cancelled, .cancelled])
    }

    @Test func cancellingKeepsWhatHasBeenCaptured() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.arm("b/cam0")
        try desk.capture("a/cam0")
        #expect(try desk.send(.cancelRequested, at: 1.2) == [cancel("b", "b/cam0")])
        try desk.store("a/cam0")
        #expect(desk.phases() == [.done, .missed])
        #expect(desk.shot.status == .partial)
    }
}
