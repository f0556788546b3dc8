import CaptureModel
import Testing

@testable import ShotLogic

@Suite struct ClientAnswerTests {
    @Test func theTimeoutPassesOnceAndOnlyUnanswered() throws {
        var client = ClientAnswer(timeout: Sample.at(3))
        #expect(client.nextDeadline == Sample.at(3))
        let isEarly = client.timesOut(at: Sample.at(2.9))
        #expect(!isEarly && !client.isOverdue)
        let isDue = client.timesOut(at: Sample.at(3))
        #expect(isDue && client.isOverdue && client.nextDeadline == nil)
        let isRepeated = client.timesOut(at: Sample.at(4))
        #expect(!isRepeated)

        var answered = ClientAnswer(timeout: Sample.at(3))
        answered.answer(try Sample.shot(["a/cam0"]))
        let isLate = answered.timesOut(at: Sample.at(3))
        #expect(!isLate && !answered.isOverdue && answered.nextDeadline == nil)
    }

    @Test func theFirstAnswerCounts() throws {
        var client = ClientAnswer(timeout: nil)
        let first = try Sample.shot(["a/cam0"])
        client.answer(first)
        client.answer(try Sample.shot(["b/cam0"]))
        #expect(client.shot == first)
    }

    @Test func theFirstDeadlineCounts() {
        var client = ClientAnswer(timeout: nil)
        #expect(client.nextDeadline == nil)
        client.isAwaited(until: Sample.at(4))
        client.isAwaited(until: Sample.at(2))
        #expect(client.deadline == Sample.at(4))
    }

    @Test func aShotThatWasGivenUpIsAnsweredLater() throws {
        var client = ClientAnswer(timeout: Sample.at(3))
        _ = client.timesOut(at: Sample.at(3))
        client.giveUp(RigProblem(.inputOutput, "Disk error."))
        #expect(client.problem?.code == .inputOutput && client.shot == nil)
        let settled = try Sample.shot(["a/cam0"])
        client.answer(settled)
        #expect(client.shot == settled)
    }
}
