import CaptureModel
import CaptureTestSupport
import RigClient
import RigProtocol
import RigWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct RigEventsTests {
    /// A log that answers `GetEvents` as a coordinator does.
    private static func log(_ held: ClosedRange<UInt64>, _ epoch: Epoch, _ request: WireGetEvents)
        -> FakeCoordinator.Body
    {
        var log = WireEventLog()
        log.lastSequence = held.upperBound
        let after = request.coordinatorEpoch == epoch.wire ? request.afterSequence : 0
        log.events = held.filter { $0 > after }.compactMap { try? FeedEvent.test($0, of: epoch).wire }
        return .events(log)
    }

    private static func answering(
        _ held: ClosedRange<UInt64>, _ epoch: Epoch
    ) -> @Sendable (WireClientRequest.OneOf_Body) -> [FakeCoordinator.Body] {
        { request in
            guard case .getEvents(let events) = request else { return [] }
            return [log(held, epoch, events)]
        }
    }

    @Test func theReplayTellsWhatHappenedBefore() async throws {
        let bench = try Bench()
        let epoch = Epoch.random()
        let coordinator = try await bench.coordinator(epoch: epoch, answer: Self.answering(1...5, epoch))
        try await bench.client.connect(to: coordinator.endpoint)
        var events = bench.client.events(from: .beginning).makeAsyncIterator()
        for sequence in UInt64(1)...5 {
            #expect(try await events.next() == .event(try .test(sequence, of: epoch)))
        }
        await coordinator.stop()
    }

    @Test func anEventLostOnTheFeedIsReplayed() async throws {
        let bench = try Bench()
        let epoch = Epoch.random()
        let coordinator = try await bench.coordinator(epoch: epoch) { request in
            guard case .getEvents(let asked) = request else { return [] }
            // At the start the newest is 3; later 4 and 5 have happened.
            return [Self.log(asked.afterSequence == UInt64(Int64.max) ? 1...3 : 1...5, epoch, asked)]
        }
        try await bench.client.connect(to: coordinator.endpoint)
        var events = bench.client.events().makeAsyncIterator()
        let beat = Task {
            for await _ in coordinator.subscriptions { break }
            try await coordinator.publish(.beat(epoch, 5))
        }
        #expect(try await events.next() == .event(try .test(4, of: epoch)))
        #expect(try await events.next() == .event(try .test(5, of: epoch)))
        try await beat.value
        try await coordinator.publish(.event(try .test(6, of: epoch)))
        #expect(try await events.next() == .event(try .test(6, of: epoch)))
        await coordinator.stop()
    }

    @Test func aRestartedCoordinatorIsFollowedOn() async throws {
        let bench = try Bench()
        let (epoch, next) = (Epoch.random(), Epoch.random())
        let first = try await bench.coordinator(epoch: epoch, answer: Self.answering(1...1, epoch))
        try await bench.client.connect(to: first.endpoint)
        var events = bench.client.events(from: .beginning).makeAsyncIterator()
        #expect(try await events.next() == .event(try .test(1, of: epoch)))
        await first.stop()
        let second = try await bench.coordinator(at: first.endpoint, epoch: next, answer: Self.answering(1...2, next))
        await second.connected()
        // The follower is awaited from here on, so its wait for a beat is the sleeper that the clock passes.
        let clock = Task { [time = bench.time] in
            await time.sleepers(atLeast: 1)
            time.advance(by: .seconds(4))
        }
        #expect(try await events.next() == .restarted(next))
        #expect(try await events.next() == .event(try .test(1, of: next)))
        #expect(try await events.next() == .event(try .test(2, of: next)))
        await clock.value
        await second.stop()
    }

    @Test func aSilenceIsToldWithTheLastSignOfLife() async throws {
        let bench = try Bench()
        let epoch = Epoch.random()
        let coordinator = try await bench.coordinator(epoch: epoch, answer: Self.answering(1...1, epoch))
        try await bench.client.connect(to: coordinator.endpoint)
        var events = bench.client.events(from: .beginning).makeAsyncIterator()
        #expect(try await events.next() == .event(try .test(1, of: epoch)))
        let heard = bench.time.now()
        await coordinator.stop()
        // The wait for a beat, then the wait for a sign of life.
        let clock = Task { [time = bench.time] in
            for seconds in [4, 3] {
                await time.sleepers(atLeast: 1)
                time.advance(by: .seconds(seconds))
            }
        }
        #expect(try await events.next() == .silent(since: heard))
        await clock.value
    }

    @Test func withoutCoordinatorTheFirstItemIsAnError() async throws {
        let bench = try Bench()
        try await bench.client.connect(to: "tcp://127.0.0.1:1")
        async let code = failure { for try await _ in bench.client.events() {} }
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(await code == .noCoordinator)
    }
}
