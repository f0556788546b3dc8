import CaptureModel
import CaptureTestSupport
import RigSecurity
import RigTestSupport
import ShotLogic
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct LibraryWatchTests {
    private let clock = ManualTimeSource()

    @Test("Answers at once while a disk hangs, and says that it hangs")
    func hangingDisk() async {
        let (isHanging, asked) = (Observed(false), Observed(0))
        let watch = LibraryWatch(clock: clock, tell: { _ in }) {
            asked.change { $0 += 1 }
            await isHanging.wait { !$0 }
            return LibraryWatch.Answer(freeBytes: Int64(asked.value))
        }
        let running = Task { await watch.run() }
        await clock.sleepers(atLeast: 1)
        #expect(watch.freeBytes == 1 && watch.silence == nil)
        isHanging.change { $0 = true }
        clock.advance(by: .seconds(1))
        await asked.wait { $0 == 2 }
        #expect(watch.silence == nil, "it has been asked just now")
        clock.advance(by: .seconds(12))
        #expect(watch.freeBytes == 1 && watch.silence == .seconds(12))
        isHanging.change { $0 = false }
        await clock.sleepers(atLeast: 1)
        #expect(watch.freeBytes == 2 && watch.silence == nil)
        running.cancel()
        await running.value
    }

    @Test func `what the library has put right is logged once, and in the status as long as the library says it`() async
    {
        let (answer, told) = (Observed(LibraryWatch.Answer(freeBytes: 1)), Observed<[LibraryWatch.News]>([]))
        let watch = LibraryWatch(clock: clock) { news in
            told.change { $0.append(news) }
        } ask: {
            answer.value
        }
        answer.change { $0.mishap = "made again" }
        for _ in 0..<2 { await watch.look() }
        #expect(watch.problem?.message == "made again" && told.value == [.mishap("made again")])
        answer.change { $0.mishap = nil }
        await watch.look()
        #expect(watch.problem == nil && told.value == [.mishap("made again")])
    }

    @Test func `a library that cannot be used is told once, and once that it can be again`() async {
        let problem = RigProblem(.inputOutput, "the library /x was moved")
        let (answer, told) = (Observed(LibraryWatch.Answer(freeBytes: 1)), Observed<[LibraryWatch.News]>([]))
        let watch = LibraryWatch(clock: clock) { news in
            told.change { $0.append(news) }
        } ask: {
            answer.value
        }
        await watch.look()
        #expect(watch.problem == nil && told.value.isEmpty)
        answer.change { $0.problem = problem }
        for _ in 0..<2 { await watch.look() }
        #expect(watch.problem == problem && told.value == [.unusable(problem)])
        answer.change { $0.problem = nil }
        for _ in 0..<2 { await watch.look() }
        #expect(watch.problem == nil && told.value == [.unusable(problem), .usable])
    }
}

/// What a client that ends a take is answered.
@Suite(.timeLimit(.minutes(10))) struct TakeAnswerTests {
    @Test func `a take whose files are settled long after the client's timeout is answered with its manifest`()
        async throws
    {
        let clock = ManualTimeSource()
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder(), clock: clock)
        let rig = try ServiceBench(bench)
        var answers = rig.service.perform(
            .command(
                .stopTake(StopTakeRequest(take: take.id)),
                by: Requester(.unnamed, Role.admin.permissions, Samples.requester()))
        ).makeAsyncIterator()
        guard case .progress(_, _, let answerDue)? = await answers.next() else {
            Issue.record("the stop is not taken on")
            return
        }
        #expect(answerDue == nil, "nothing limits it")
        clock.advance(by: bench.rig.settings.timeout + .seconds(30))
        // The node is back, and what it has recorded is no longer there.
        try await bench.hello("north", epoch: 2)
        var answer = await answers.next()
        while answer?.isProgress == true { answer = await answers.next() }
        #expect(answer?.shot?.status == .failed, "\(String(describing: answer))")
        await bench.end()
    }
}
