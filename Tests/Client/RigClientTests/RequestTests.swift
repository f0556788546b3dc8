import CaptureModel
import CaptureTestSupport
import RigClient
import RigProtocol
import RigWire
import Testing

@Suite(.timeLimit(.minutes(10))) struct RequestTests {
    @Test func anAbsentCoordinatorIsAnErrorAndNoHang() async throws {
        let bench = try Bench()
        try await bench.client.connect(to: "tcp://127.0.0.1:1")
        async let code = failure { _ = try await bench.client.devices() }
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(await code == .noCoordinator)
        await bench.client.close()
    }

    @Test func `State and devices are one request, and two to an older coordinator`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { request in
            if case .listDevices = request { [.deviceList(.init())] } else { [] }
        }
        try await bench.client.connect(to: coordinator.endpoint)
        var requests = coordinator.requests.makeAsyncIterator()
        coordinator.devices.change { $0 = .init() }
        #expect(try await bench.client.state().status.feedPort == coordinator.feedPort)
        coordinator.devices.change { $0 = nil }
        #expect(try await bench.client.state().devices.isEmpty)
        for _ in 0..<2 {
            guard case .getStatus(let get)? = await requests.next(), get.withDevices else { throw CancellationError() }
        }
        guard case .listDevices? = await requests.next() else { throw CancellationError() }
        await coordinator.stop()
    }

    @Test func aSilentCoordinatorIsWaitedForAsLongAsPatienceLasts() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: coordinator.endpoint)
        async let code = failure { _ = try await bench.client.devices() }
        for await _ in coordinator.requests { break }
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .milliseconds(2_999))
        bench.time.advance(by: .milliseconds(1))
        #expect(await code == .noCoordinator)
        await coordinator.stop()
    }

    @Test func aConnectionThatHasFallenSilentIsMadeAnew() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: coordinator.endpoint)
        await coordinator.connected()
        async let code = failure { _ = try await bench.client.devices() }
        for await _ in coordinator.requests { break }
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(await code == .noCoordinator)
        await coordinator.connected()
        await coordinator.stop()
    }

    @Test func `A change is waited for while the coordinator lives, and is then said to be unknown`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: coordinator.endpoint)
        let begun = bench.time.now()
        let clock = Task {
            while !Task.isCancelled {
                await bench.time.sleepers(atLeast: 1)
                bench.time.advance(by: .milliseconds(250))
                // What was asked before it has its answer too.
                _ = try? await bench.client.status()
            }
        }
        let error = await #expect(throws: RigClientError.self) { try await bench.client.releaseHold() }
        clock.cancel()
        #expect(error?.code == .lostCoordinator)
        #expect(error?.cause.contains("is alive, but has not said within 20 s whether it made") == true)
        #expect(bench.time.now() >= begun + .seconds(20))
        await clock.value
        await coordinator.stop()
    }

    @Test func `A change is given up when the coordinator gives no sign of life`() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: coordinator.endpoint)
        let begun = bench.time.now()
        async let code = failure { try await bench.client.releaseHold() }
        for await case .releaseHold in coordinator.requests { break }
        await coordinator.stop()
        let clock = Task {
            while !Task.isCancelled {
                await bench.time.sleepers(atLeast: 1)
                bench.time.advance(by: .milliseconds(250))
            }
        }
        #expect(await code == .noCoordinator)
        clock.cancel()
        await clock.value
        #expect(bench.time.now() < begun + .seconds(10))
    }

    @Test func aLongRequestIsRepeatedOnAnotherConnection() async throws {
        let bench = try Bench()
        let first = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: first.endpoint)
        async let files = bench.client.unclaimedFiles()
        for await _ in first.requests { break }
        await first.stop()
        let second = try await bench.coordinator(at: first.endpoint) { _ in [.unclaimedFiles(.init())] }
        await second.connected()
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(try await files.files.isEmpty)
        await second.stop()
    }

    @Test func aRepeatedDeviceRequestHasItsID() async throws {
        let bench = try Bench()
        func id(in requests: AsyncStream<WireClientRequest.OneOf_Body>) async -> UInt64? {
            for await case .deviceRequest(let request) in requests { return request.id }
            return nil
        }
        var reply = WireDeviceReply()
        reply.session.device = try DeviceID("n/cam").wire
        reply.session.condition = DeviceCondition(state: .stopped).wire
        let answer = WireClientReply.OneOf_Body.deviceReply(reply)
        let first = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: first.endpoint)
        async let session = bench.client.stopSession(of: try DeviceID("n/cam"))
        let asked = await id(in: first.requests)
        await first.stop()
        let second = try await bench.coordinator(at: first.endpoint) { _ in [answer] }
        await second.connected()
        await bench.time.sleepers(atLeast: 1)
        bench.time.advance(by: .seconds(3))
        #expect(try await session.condition.state == .stopped)
        let repeated = await id(in: second.requests)
        #expect(asked == repeated && asked != 0 && asked != nil)
        _ = try await bench.client.stopSession(of: try DeviceID("n/cam"))
        #expect(await id(in: second.requests) != asked, "another request has another id")
        await second.stop()
    }

    @Test func aListLongerThanAnAnswerIsCut() async throws {
        let bench = try Bench()
        var generator = SeededGenerator(seed: 1)
        let ids = (0..<1700).map { ShotID(unixMilliseconds: 1_795_000_000_000 - $0, using: &generator) }
        let coordinator = try await bench.coordinator { request in
            guard case .listShots(let list) = request else { return [] }
            let start = ids.firstIndex { $0.wire == list.beforeShotID }.map { $0 + 1 } ?? 0
            var answer = WireShotList()
            answer.shots = ids[start...].prefix(min(Int(list.limit), WireLimits.shotsPerList)).map { id in
                var summary = WireShotSummary()
                (summary.shotID, summary.status) = (id.wire, "complete")
                return summary
            }
            var damaged = WireDamagedShot()
            (damaged.shotID, damaged.reason) = (ids[0].wire, "one")
            (answer.damaged, answer.moreDamaged) = ([damaged], 3)
            return [.shotList(answer)]
        }
        try await bench.client.connect(to: coordinator.endpoint)
        let list = try await bench.client.shots(limit: 1500)
        #expect(list.shots.map(\.id) == Array(ids.prefix(1500)))
        #expect(list.damaged.count == 2 && list.moreDamaged == 6)
        #expect(try await bench.client.shots(limit: 5000).shots.count == ids.count)
        #expect(try await bench.client.shots(limit: 1000).shots.count == 1000)
        await coordinator.stop()
    }

    @Test func devicesComeInOrder() async throws {
        let bench = try Bench()
        let ids = [try DeviceID("b/x"), try DeviceID("a/x")]
        let coordinator = try await bench.coordinator { _ in
            var list = WireDeviceList()
            list.devices = ids.map { id in
                DeviceStatus(
                    device: DeviceDescription(id: id, driver: "virtual"), condition: DeviceCondition(state: .running)
                ).wire
            }
            return [.deviceList(list)]
        }
        try await bench.client.connect(to: coordinator.endpoint)
        #expect(try await bench.client.devices().map(\.device.id) == ids.reversed())
        await coordinator.stop()
    }

    @Test(arguments: [
        (RigProblem.Code.emptySelection, RigClientError.Code.nothingSelected),
        (.conflict, .refused("conflict")),
    ])
    func aRefusalKeepsItsSentence(_ code: RigProblem.Code, _ expected: RigClientError.Code) async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in
            var failure = WireFailure()
            failure.problem = RigProblem(code, "what and why").wire
            return [.failure(failure)]
        }
        try await bench.client.connect(to: coordinator.endpoint)
        do {
            _ = try await bench.client.shots()
            Issue.record("a refusal was taken for an answer")
        } catch {
            #expect(error.code == expected)
            #expect(error.description == "what and why")
        }
        await coordinator.stop()
    }

    @Test func anAnswerToAnotherQuestionIsNoAnswer() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [.shotList(.init())] }
        try await bench.client.connect(to: coordinator.endpoint)
        #expect(await failure { _ = try await bench.client.devices() } == .malformedReply)
        await coordinator.stop()
    }

    @Test func closingEndsWhatIsUnderWay() async throws {
        let bench = try Bench()
        let coordinator = try await bench.coordinator { _ in [] }
        try await bench.client.connect(to: coordinator.endpoint)
        async let code = failure { _ = try await bench.client.devices() }
        for await _ in coordinator.requests { break }
        await bench.client.close()
        #expect(await code == .closed)
        #expect(await failure { _ = try await bench.client.devices() } == .closed)
        await coordinator.stop()
    }
}
