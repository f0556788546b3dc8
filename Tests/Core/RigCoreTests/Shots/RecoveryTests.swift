import CaptureModel
import CaptureTestSupport
import ControlMessages
import Journal
import PosixSupport
import RigProtocol
import RigTestSupport
import RigWire
import StorageKit
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct RecoveryTests {
    private let folder: TemporaryFolder
    private let north: NodeName

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
    }

    @Test("Collects a picture from the spool of a restarted agent")
    func agentRestartedWithPicture() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        await bench.links.wait(forNodes: [north]) { $0.isFire }
        try await bench.hello("north", epoch: 2, inventory: [await bench.report("north", [1, 2])])
        try await bench.collect("north", [1, 2])
        #expect(try await bench.answer(notices)?.status == .complete)
        await bench.links.asked.wait { $0.released.count == 1 }
        await bench.end()
    }

    @Test("Arms a camera again whose agent restarted before T")
    func agentRestartedBeforeFire() async throws {
        let bench = try await RigBench(folder: folder) { $0.arming = .seconds(20) }
        try await bench.hello("north")
        try await bench.hello("south")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        let before = bench.links.asked.value.sent.count { $0.node == north && $0.order.isPrepare }
        try await bench.hello("north", epoch: 2)
        let after = bench.links.asked.value.sent.count { $0.node == north && $0.order.isPrepare }
        #expect(after > before)
        try await bench.refused("north", RigProblem(.beforeRing, "the ring is too short"))
        try await bench.refused("south", RigProblem(.notRunning, "unplugged"))
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.captures.map(\.problem?.code) == [.agentRestarted, .notRunning])
        await bench.end()
    }

    @Test("Finishes an open shot after the coordinator restarts")
    func coordinatorRestarted() async throws {
        let report: CaptureReport
        do {
            let bench = try await RigBench(folder: folder)
            try await bench.hello("north")
            _ = await bench.rig.trigger(bench.order())
            await bench.links.wait(forNodes: [north]) { $0.isPrepare }
            try await bench.armed("north")
            await bench.links.wait(forNodes: [north]) { $0.isFire }
            report = try await bench.report("north", [7, 7, 7])
            await bench.end()
        }
        let bench = try await RigBench(folder: folder)
        try await bench.rig.resumeOpenShots()
        #expect(await bench.rig.shotIDs == [Samples.shot()])
        try await bench.hello("north", inventory: [report])
        try await bench.collect("north", [7, 7, 7])
        await bench.links.asked.wait { $0.released.count == 1 }
        #expect(bench.links.asked.value.released[0].onDisk == .done)
        #expect(try await bench.library.shot(Samples.shot())?.status == .complete)
        #expect(try await bench.library.openShots().shots.isEmpty)
        await bench.end()
    }

    @Test("Removes parts of a file that its node has lost")
    func lostAtItsNode() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        try await bench.captured("north", [7, 7, 7])
        try await bench.hello("north", epoch: 2)
        let shot = try #require(try await bench.answer(notices))
        #expect(shot.captures.map(\.problem?.code) == [.fileLost])
        await bench.links.asked.wait { $0.tidied == [shot.id] }
        await bench.end()
    }

    @Test("Keeps a file of an unknown shot on its node")
    func unknownShot() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north", inventory: [await bench.report("north", [1], 77)])
        try await bench.captured("north", [1], 78)
        #expect(bench.links.asked.value.released.isEmpty)
        #expect(bench.links.asked.value.collected.isEmpty)
        #expect(await bench.rig.shotIDs.isEmpty)
        await bench.end()
    }

    @Test("Releases a stored file again whose release was lost")
    func lostRelease() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let notices = await bench.rig.trigger(bench.order())
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        try await bench.captured("north", [1, 2])
        try await bench.collect("north", [1, 2])
        _ = try await bench.answer(notices)
        await bench.links.asked.wait { $0.released.count == 1 }
        try await bench.hello("north", isNew: false, inventory: [await bench.report("north", [1, 2])])
        await bench.links.asked.wait { $0.released.count == 2 }
        #expect(bench.links.asked.value.released[1].digest == Samples.digest([1, 2]))
        await bench.end()
    }

    @Test("Reports a silent node once")
    func silence() async throws {
        let clock = ManualTimeSource()
        let bench = try await RigBench(folder: folder, clock: clock) { $0.heartbeatTimeout = .seconds(2) }
        try await bench.hello("north")
        let start = clock.now()
        await clock.run(until: start + .milliseconds(1990))
        #expect(await bench.rig.roster.nodes[north]?.agent != nil)
        await clock.run(until: start + .seconds(10))
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .node(.disconnected) } }
        #expect(await bench.rig.roster.devices.map(\.condition.state) == [.unreachable])
        let told = bench.links.asked.value.events.filter { $0.source.event.name == .node(.disconnected) }
        #expect(told.count == 1)
        #expect(told.first?.source.event.details["node"] == "north")
        await bench.end()
    }

    @Test("Publishes a node's events once, and acknowledges them")
    func events() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let event = RigEvent(.device(.stalled), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
        for _ in 0..<2 {
            bench.links.journaled.withLock { $0 = 0 }
            #expect(await bench.rig.accept(Samples.batch(1...3, of: event), from: north))
            #expect(await bench.rig.dueAcknowledgements(of: north).isEmpty, "the journal does not hold them yet")
            bench.links.journaled.withLock { $0 = .max }
            let acks = await bench.rig.dueAcknowledgements(of: north)
            #expect(acks == [EventPosition(epoch: Samples.epoch(1), sequence: 3)])
        }
        #expect(bench.links.asked.value.events.count { $0.source.event.name == .device(.stalled) } == 3)
        let gap = NodeMessage.events(Samples.batch(6...6, of: event, after: 5))
        #expect(await bench.rig.accept(gap, from: north) == [.missingEvents(north)], "4 and 5 have not come")
        #expect(bench.links.asked.value.sent.map(\.order) == [.helloRequired])
        try await bench.hello("north", isNew: false)
        #expect(await bench.rig.accept(Samples.batch(6...6, of: event), from: north))
        await bench.end()
    }

    @Test("Asks nodes again for events that the coordinator has lost")
    func lostEvents() async throws {
        let bench = try await RigBench(folder: folder)
        try await bench.hello("north")
        let event = RigEvent(.device(.stalled), realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1))
        #expect(await bench.rig.accept(Samples.batch(1...2, of: event), from: north))
        bench.links.loss.withLock { $0 = 1...2 }
        await bench.rig.recoverLostEvents()
        await bench.links.wait(forNodes: [north]) { if case .helloRequired = $0 { true } else { false } }
        #expect(await !bench.rig.accept(Samples.batch(3...3, of: event, after: 2), from: north), "it was on its way")
        #expect(await bench.rig.dueAcknowledgements(of: north).isEmpty)

        try await bench.hello("north", isNew: false)
        #expect(await bench.rig.accept(Samples.batch(1...3, of: event), from: north))
        #expect(await bench.rig.dueAcknowledgements(of: north).map(\.sequence) == [3])
        let told = bench.links.asked.value.events.map(\.source)
        #expect(told.filter { $0.event.name == .device(.stalled) }.map(\.sequence) == [1, 2, 1, 2, 3])
        #expect(told.first { $0.event.name == .feedEventsLost }?.event.details == ["first": "1", "last": "2"])
        await bench.end()
    }
}
