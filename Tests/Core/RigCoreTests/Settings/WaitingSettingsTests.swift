import CaptureModel
import CaptureTestSupport
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// Settings of cameras whose nodes are not connected. The test plays the nodes.
@Suite(.timeLimit(.minutes(10))) struct WaitingSettingsTests {
    private let anna: Principal
    private let south: NodeName

    init() throws {
        anna = try #require(Principal(recorded: "anna", isAuthenticated: true))
        south = try NodeName("south")
    }

    private func request(_ number: Int64 = 1, _ settings: String = "gain=raw:7") throws -> SettingsRequest {
        SettingsRequest(
            id: Samples.settings(number), selection: Selection(devices: [try DeviceID("south/cam")]),
            settings: try CaptureSettings(parsing: settings))
    }

    /// A rig whose node `south` was connected to an earlier run.
    private func bench(_ ledger: MemoryLedger) async throws -> RigBench {
        try await RigBench(
            folder: try TemporaryFolder(), roster: Roster(restoring: [try Samples.device("south/cam").description]),
            committedSettings: await ledger.stored, settingsLedger: ledger)
    }

    private func delivered(_ asked: FakeLinks.Asked) -> [[String: String]] {
        asked.events.map(\.source.event).filter { $0.name == .settingsDelivered }.map(\.details)
    }

    @Test func `A node that joins gets what was committed while it was away, in order, before anything else`()
        async throws
    {
        let ledger = MemoryLedger()
        let bench = try await bench(ledger)
        for number in 1...2 {
            let report = try await bench.rig.apply(try request(Int64(number), "gain=raw:\(number)"), by: anna)
            #expect(report.cameras.map(\.outcome.word) == [.deferred] && report.time == nil)
        }
        #expect(await ledger.stored.map(\.awaitsNode) == [true, true])
        try await bench.hello("south", epoch: 1)
        let later = Task { try await bench.rig.apply(try request(3, "gain=raw:3"), by: anna) }
        for number in 1...3 {
            let step = try await bench.answerSettings(of: south, after: 2 * number - 2, .success(.preparedGain()))
            #expect(step == .prepare(try CaptureSettings(parsing: "gain=raw:\(number)")))
            await bench.answerSettings(of: south, after: 2 * number - 1, .success(.applied(Samples.settingsEffect)))
        }
        #expect(try await later.value.cameras.map(\.outcome.word) == [.set])
        let told = delivered(bench.links.asked.value)
        #expect(told.map { $0["settings"] } == [Int64(1), 2].map { "\(Samples.settings($0))" })
        #expect(told.map { $0["outcome"] } == ["set", "set"])
        #expect(await ledger.stored.map(\.awaitsNode) == [false, false, false])
        await bench.end()
    }

    @Test
    func `The next run of the coordinator delivers, and a node that goes again before that gets it the next time`()
        async throws
    {
        let ledger = MemoryLedger()
        var bench = try await bench(ledger)
        _ = try await bench.rig.apply(try request(), by: anna)
        await bench.end()

        bench = try await self.bench(ledger)
        try await bench.hello("south", epoch: 1)
        try await bench.answerSettings(of: south, after: 0, .success(.preparedGain()))
        await bench.links.asked.wait { $0.settingsSteps(of: south).count > 1 }
        try await bench.hello("south", epoch: 2)
        // It was told to set, and the next run of its agent does not know that.
        try await bench.answerSettings(of: south, after: 2, .success(.preparedGain()))
        let refusal = RigProblem(.deviceLost, "the camera was unplugged")
        await bench.answerSettings(of: south, after: 3, .failure(refusal))
        await bench.links.asked.wait { !delivered($0).isEmpty }
        let told = try #require(delivered(bench.links.asked.value).first)
        #expect(told["outcome"] == "failed" && told["code"] == "deviceLost")
        #expect(await ledger.stored.map(\.awaitsNode) == [false])
        await bench.end()
    }

    @Test func `A node that has just gone, which nobody knows yet, gets the settings when it joins`() async throws {
        let ledger = MemoryLedger()
        let clock = ManualTimeSource()
        let bench = try await RigBench(
            folder: try TemporaryFolder(), clock: clock, settingsLedger: ledger
        ) { $0.heartbeatTimeout = .seconds(2) }
        try await bench.hello("south", epoch: 1)
        let applying = Task { try await bench.rig.apply(try request(), by: anna) }
        await bench.links.asked.wait { $0.settingsSteps(of: south).count == 1 }
        while await bench.rig.status().nodes.contains(where: \.isConnected) {
            clock.advance(by: .milliseconds(250))
            // The watch of nodes, which looks eight times within their timeout, has seen this instant.
            await clock.sleeper(until: clock.now() + .milliseconds(250))
        }
        let report = try await applying.value
        #expect(report.cameras.map(\.outcome.word) == [.deferred])
        #expect(report.cameras[0].outcome.problem?.message.contains("whether") == false, "it was not set")
        #expect(await ledger.stored.map(\.awaitsNode) == [true])
        try await bench.hello("south", epoch: 2)
        #expect(
            try await bench.answerSettings(of: south, after: 1, .success(.preparedGain()))
                == .prepare(try CaptureSettings(parsing: "gain=raw:7")))
        await bench.answerSettings(of: south, after: 2, .success(.applied(Samples.settingsEffect)))
        await bench.links.asked.wait { delivered($0).map { $0["outcome"] } == ["set"] }
        await bench.end()
    }

    @Test func `A refusal that passes does not end the wait, and later settings come after it`() async throws {
        let ledger = MemoryLedger()
        let bench = try await bench(ledger)
        _ = try await bench.rig.apply(try request(), by: anna)
        try await bench.hello("south", epoch: 1)
        let armed = RigProblem(.conflict, "a flash is armed")
        await bench.answerSettings(of: south, after: 0, .failure(armed))
        let applying = Task { try await bench.rig.apply(try request(2, "gain=raw:2"), by: anna) }
        await bench.answerSettings(of: south, after: 1, .failure(armed))
        let later = try await applying.value
        #expect(later.cameras.map(\.outcome.word) == [.deferred])
        #expect(later.cameras[0].outcome.problem?.code == .conflict)
        #expect(await ledger.stored.map(\.awaitsNode) == [true, true])
        await bench.end()
    }

    @Test func `A camera that is told to be refused, because T was missed, does not wait`() async throws {
        let ledger = MemoryLedger()
        let bench = try await bench(ledger)
        var missed = try request()
        missed.time = .relative(nanoseconds: 0)
        let report = try await bench.rig.apply(missed, by: anna)
        #expect(report.cameras.map(\.outcome.problem?.code) == [.tooSoon])
        #expect(await ledger.stored.map(\.awaitsNode) == [false])
        try await bench.hello("south", epoch: 1)
        let later = Task { try await bench.rig.apply(try request(2, "gain=raw:2"), by: anna) }
        #expect(
            try await bench.answerSettings(of: south, after: 0, .success(.preparedGain()))
                == .prepare(try CaptureSettings(parsing: "gain=raw:2")))
        await bench.answerSettings(of: south, after: 1, .success(.applied(Samples.settingsEffect)))
        #expect(try await later.value.cameras.map(\.outcome.word) == [.set])
        await bench.end()
    }

    @Test func `Another request with a used id is refused, also by the next run`() async throws {
        let ledger = MemoryLedger()
        var bench = try await bench(ledger)
        _ = try await bench.rig.apply(try request(), by: anna)
        await bench.end()
        bench = try await self.bench(ledger)
        #expect(try await bench.rig.apply(try request(), by: anna).cameras.map(\.outcome.word) == [.deferred])
        await bench.end()
        bench = try await self.bench(ledger)
        await #expect(throws: RigProblem.self) { try await bench.rig.apply(try request(1, "gain=raw:9"), by: anna) }
        await bench.end()
    }

    @Test func `What no camera accepts does not wait for a node`() async throws {
        let ledger = MemoryLedger()
        let bench = try await bench(ledger)
        let report = try await bench.rig.apply(try request(1, "whiteBalanceTint=-10 gain=raw:1"), by: anna)
        #expect(report.cameras.map(\.outcome.word) == [.refused])
        #expect(report.cameras[0].outcome.problem?.message.contains("whiteBalanceTint") == true)
        #expect(await ledger.stored.map(\.awaitsNode) == [false])
        await bench.end()
    }

    @Test func `A seventeenth transaction is refused, and forgetting the camera ends the wait`() async throws {
        let ledger = MemoryLedger()
        let bench = try await bench(ledger)
        for number in 1...16 { _ = try await bench.rig.apply(try request(Int64(number)), by: anna) }
        let refused = try await bench.rig.apply(try request(17), by: anna)
        #expect(refused.cameras.map(\.outcome.word) == [.refused])
        _ = try await bench.rig.forget([try DeviceID("south/cam")], by: anna)
        #expect(await ledger.stored.allSatisfy { !$0.awaitsNode })
        await bench.end()
    }
}
