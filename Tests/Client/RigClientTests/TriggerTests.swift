import CaptureModel
import CaptureTestSupport
import FoundationEssentials
import RigClient
import RigProtocol
import RigWire
import ShotDocuments
import Testing

@Suite(.timeLimit(.minutes(1))) struct TriggerTests {
    private let order: TriggerRequest
    private let shot: Shot

    init() {
        var generator = SeededGenerator(seed: 1)
        let id = ShotID(unixMilliseconds: 1_800_000_000_000, using: &generator)
        order = TriggerRequest(shot: id, request: ShotRequest(selection: Selection()))
        shot = Shot(
            id: id, time: RigTime(nanoseconds: 5), rigClock: RigClockID(rawValue: "clock"),
            wallClock: WallClockPair(monotonic: RigTime(nanoseconds: 0), realtimeNanoseconds: 1),
            coordinatorEpoch: .random(),
            request: order.request, captures: [])
    }

    private var progress: FakeCoordinator.Body {
        var progress = WireShotProgress()
        (progress.shotID, progress.expected) = (shot.id.wire, 2)
        return .progress(progress)
    }

    private func answer() throws -> FakeCoordinator.Body {
        var document = WireShotDocument()
        (document.shotID, document.folder, document.library) = (shot.id.wire, "2026/11/21/x", "/library")
        document.manifestJson = Data(try ShotManifest(shot: shot).encoded())
        return .shot(document)
    }

    @Test func progressComesBeforeTheAnswer() async throws {
        let bench = try Bench()
        let replies = [progress, try answer()]
        let coordinator = try await bench.coordinator { _ in replies }
        try await bench.client.connect(to: coordinator.endpoint)
        var updates: [TriggerUpdate] = []
        for try await update in bench.client.trigger(order) { updates.append(update) }
        #expect(updates.count == 2)
        #expect(updates.last == .answered(LocatedShot(shot: shot, folder: "2026/11/21/x", library: "/library")))
        await coordinator.stop()
    }

    @Test func aTriggerWithoutCoordinatorEnds() async throws {
        let bench = try Bench()
        try await bench.client.connect(to: "tcp://127.0.0.1:1")
        async let code = failure { for try await _ in bench.client.trigger(order) {} }
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(await code == .noCoordinator)
    }

    @Test func aRestartOfTheCoordinatorDoesNotLoseTheShotNorTakeAnother() async throws {
        let bench = try Bench()
        let replies = [progress]
        let first = try await bench.coordinator { _ in replies }
        try await bench.client.connect(to: first.endpoint)
        var updates = bench.client.trigger(order).makeAsyncIterator()
        guard case .progress = try await updates.next() else { throw Unexpected() }
        await first.stop()

        let last = [try answer()]
        let second = try await bench.coordinator(at: first.endpoint) { request in
            if case .trigger = request { last } else { [] }
        }
        await second.connected()
        // The wait that began after the progress: one sleeper, whose end makes the client ask for a sign of life.
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(try await updates.next() == .repeated)
        guard case .answered(let located) = try await updates.next() else { throw Unexpected() }
        #expect(located.shot.id == order.shot)
        for await case .trigger(let again) in second.requests {
            #expect(again == order.wire)
            break
        }
        await second.stop()
    }

    @Test func aStopThatIsRepeatedIsOfTheTakeItHasStopped() async throws {
        let bench = try Bench()
        let replies = [progress]
        let first = try await bench.coordinator { _ in replies }
        try await bench.client.connect(to: first.endpoint)
        var updates = bench.client.stop(StopTakeRequest(take: nil)).makeAsyncIterator()
        guard case .progress = try await updates.next() else { throw Unexpected() }
        await first.stop()

        let last = [try answer()]
        let second = try await bench.coordinator(at: first.endpoint) { request in
            if case .stopTake = request { last } else { [] }
        }
        await second.connected()
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(try await updates.next() == .repeated)
        guard case .answered = try await updates.next() else { throw Unexpected() }
        for await case .stopTake(let again) in second.requests {
            #expect(again == StopTakeRequest(take: order.shot).wire)
            break
        }
        await second.stop()
    }

    @Test func aCoordinatorThatStaysAwayIsToldAsLost() async throws {
        let bench = try Bench()
        let replies = [progress]
        let coordinator = try await bench.coordinator { _ in replies }
        try await bench.client.connect(to: coordinator.endpoint)
        let code = await failure {
            for try await update in bench.client.trigger(order) {
                guard case .progress = update else { continue }
                await coordinator.stop()
                // A wait of three seconds and a sign of life not given within three more, in turn, until fifteen have
                // passed. Unstructured, because the loop goes on waiting meanwhile.
                Task { [time = bench.time] in
                    for _ in 0..<5 { await time.step() }
                }
            }
        }
        #expect(code == .lostCoordinator)
    }

    @Test func aCoordinatorThatLivesIsNotTakenForAbsentBecauseItsDiskIsSlow() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: coordinator.endpoint)
        await coordinator.connected()
        let waiting = Task { for try await _ in bench.client.trigger(order) {} }
        for await case .trigger in coordinator.requests { break }
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        // It has asked for a sign of life, and waits again: no second trigger and no end.
        for await request in coordinator.requests {
            guard case .getStatus = request else { throw Unexpected() }
            break
        }
        waiting.cancel()
        await coordinator.stop()
    }

    @Test func aTimeThatNoAnswerCanTakeIsNotBelieved() async throws {
        for hostile in [Int64.min, -1, .max] {
            let bench = try Bench()
            var progress = WireShotProgress()
            (progress.shotID, progress.expected, progress.answerWithinNs) = (shot.id.wire, 1, hostile)
            let replies = [FakeCoordinator.Body.progress(progress)]
            let coordinator = try await bench.coordinator { _ in replies }
            try await bench.client.connect(to: coordinator.endpoint)
            #expect(await failure { for try await _ in bench.client.trigger(order) {} } == .malformedReply)
            await coordinator.stop()
        }
    }

    private struct Unexpected: Error {}
}
