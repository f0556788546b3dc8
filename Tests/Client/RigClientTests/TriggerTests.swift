import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import ShotDocuments
import Testing

@testable import RigClient

@Suite(.timeLimit(.minutes(10))) struct TriggerTests {
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
        (progress.shotID, progress.captures) = (shot.id.wire, CaptureCounts(expected: 2).wire)
        return .progress(progress)
    }

    private func answer() throws -> FakeCoordinator.Body {
        .shot(try WireShotDocument(StoredManifest(writing: shot)))
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
                // A wait of three seconds, and a sign of life not given within three more, in turn, until fifteen have
                // passed. A request looks at its connection while it waits. Unstructured, because the loop goes on waiting.
                Task { [time = bench.time] in
                    for _ in 0..<60 { await time.step() }
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
            (progress.shotID, progress.captures) = (shot.id.wire, CaptureCounts(expected: 1).wire)
            progress.answerWithinNs = hostile
            let replies = [FakeCoordinator.Body.progress(progress)]
            let coordinator = try await bench.coordinator { _ in replies }
            try await bench.client.connect(to: coordinator.endpoint)
            #expect(await failure { for try await _ in bench.client.trigger(order) {} } == .malformedReply)
            await coordinator.stop()
        }
    }

    private struct Unexpected: Error {}
}

@Suite struct RequestWatchdogTests {
    private let start = LocalTime(nanoseconds: 0)

    private var watchdog: RequestWatchdog {
        RequestWatchdog(start: start, patience: .seconds(3), answerLimit: .seconds(10))
    }

    @Test func aMissingCoordinatorIsToldAfterThePatience() {
        #expect(watchdog.verdict(at: start + .seconds(2)) == .wait)
        #expect(watchdog.verdict(at: start + .seconds(3)) == .neverHeard)
    }

    @Test func aShotIsWaitedForAsLongAsTheCoordinatorSaysWhileItGivesSignsOfLife() {
        var watchdog = watchdog
        watchdog.heard(from: 7, at: start + .seconds(1), answerWithin: .seconds(60))
        for second in stride(from: 4, to: 67, by: 3) {
            let now = start + .seconds(second)
            #expect(watchdog.verdict(at: now) == .wait, "at \(second) s")
            watchdog.signed(by: 7, at: now, answerLimit: .seconds(5))
        }
        #expect(watchdog.verdict(at: start + .seconds(67)) == .overdue)
    }

    @Test func aCoordinatorThatGivesNoSignOfLifeIsLostHoweverLongTheShotMayTake() {
        var watchdog = watchdog
        watchdog.heard(from: 7, at: start, answerWithin: .seconds(3600))
        #expect(watchdog.verdict(at: start + .seconds(14)) == .wait)
        #expect(watchdog.verdict(at: start + .seconds(15)) == .silent)
    }

    @Test func theCoordinatorsTimeoutCountsFromTheRequestWhereItHasNotTakenTheShotOn() {
        var watchdog = watchdog
        watchdog.asked(on: 1, at: start)
        for second in stride(from: 3, to: 66, by: 3) {
            watchdog.signed(by: 7, at: start + .seconds(second), answerLimit: .seconds(60))
            #expect(watchdog.verdict(at: start + .seconds(second)) == .wait, "at \(second) s")
        }
        #expect(watchdog.verdict(at: start + .seconds(66)) == .overdue)
    }

    @Test func aCoordinatorThatSaysNothingOfItsTimeoutIsWaitedForFromItsLastReply() {
        var watchdog = watchdog
        watchdog.heard(from: 7, at: start + .seconds(5))
        watchdog.signed(by: 7, at: start + .seconds(20), answerLimit: nil)
        #expect(watchdog.verdict(at: start + .seconds(20)) == .wait)
        #expect(watchdog.verdict(at: start + .seconds(21)) == .overdue)
    }

    @Test func aLivingCoordinatorOnTheSameConnectionIsNotAskedAgain() {
        var watchdog = watchdog
        watchdog.asked(on: 0, at: start)
        #expect(!watchdog.needsRepeat(epoch: 7, connections: 1), "it may wait for its disk")
        watchdog.heard(from: 7, at: start)
        #expect(!watchdog.needsRepeat(epoch: 7, connections: 1))
    }

    @Test func anotherLifeOrConnectionIsAskedAgain() {
        var watchdog = watchdog
        watchdog.asked(on: 1, at: start)
        watchdog.heard(from: 7, at: start)
        #expect(watchdog.needsRepeat(epoch: 8, connections: 1))
        #expect(watchdog.needsRepeat(epoch: 7, connections: 2))
        var unheard = self.watchdog
        unheard.asked(on: 1, at: start)
        unheard.signed(by: 7, at: start, answerLimit: nil)
        #expect(unheard.needsRepeat(epoch: 8, connections: 1))
    }
}
