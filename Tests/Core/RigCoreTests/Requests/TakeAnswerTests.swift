import CaptureModel
import CaptureTestSupport
import RigTestSupport
import ShotLogic
import Testing

@testable import RigCore

/// What a client that ends a take is answered.
@Suite(.timeLimit(.minutes(1))) struct TakeAnswerTests {
    @Test func `a take whose files are settled long after the client's timeout is answered with its manifest`()
        async throws
    {
        let clock = ManualTimeSource()
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder(), clock: clock)
        let rig = try ServiceBench(bench)
        var answers = rig.service.perform(
            .command(.stopTake(StopTakeRequest(take: take.id)), by: Requester(.unnamed, Samples.requester()))
        ).makeAsyncIterator()
        guard case .progress(_, _, _, let answerDue)? = await answers.next() else {
            Issue.record("the stop is not taken on")
            return
        }
        #expect(answerDue == nil, "nothing limits it")
        clock.advance(by: bench.rig.settings.timeout + .seconds(30))
        // The node is back, and what it has recorded is not there any more.
        try await bench.hello("north", epoch: 2)
        var answer = await answers.next()
        while answer?.isProgress == true { answer = await answers.next() }
        #expect(answer?.shot?.status == .failed, "\(String(describing: answer))")
        await bench.end()
    }
}
