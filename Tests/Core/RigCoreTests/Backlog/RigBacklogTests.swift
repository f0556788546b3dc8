import CaptureModel
import CaptureTestSupport
import ControlMessages
import RigProtocol
import RigTestSupport
import RigWire
import StorageKit
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct RigBacklogTests {
    private let folder: TemporaryFolder
    private let north: NodeName

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
    }

    /// Shots 1 to 3 of the library missed the picture of `north`, since it was away.
    private func bench() async throws -> RigBench {
        let bench = try await RigBench(folder: folder)
        try await miss(1...3, of: "north", bench)
        return bench
    }

    private func miss(_ numbers: ClosedRange<Int64>, of node: String, _ bench: RigBench) async throws {
        for number in numbers {
            var shot = Shot(
                id: Samples.shot(number), time: bench.rig.now, rigClock: RigClockID(rawValue: "rig-0"),
                wallClock: bench.rig.wallClock, coordinatorEpoch: Samples.epoch(7),
                request: ShotRequest(selection: Selection()),
                captures: [Capture(device: try Samples.device("\(node)/cam").description)])
            shot.captures[0].phase = .missed
            shot.captures[0].problem = RigProblem(.nodeUnreachable, "away")
            shot.captures[0].files[0].outcome = .missed
            shot.status = .failed
            shot.settledAt = shot.time
            try await bench.library.write(shot)
        }
    }

    /// A hello that lists the captures of these shots, and says that there are more.
    private func join(_ bench: RigBench, listing shots: [Int64]) async throws {
        var hello = try Samples.hello("north", inventory: try await bench.reports("north", shots))
        hello.inventory.hasMore = true
        _ = try await bench.rig.admit(hello, from: NodeName("north"), epoch: Samples.epoch(1))
        try await bench.rig.reconcile(hello, from: NodeName("north"), epochChanged: true)
    }

    private func page(_ bench: RigBench, after: Int64, listing shots: [Int64]) async throws {
        let page = InventoryPage(
            after: try Samples.fileKey(after, "north/cam").capture,
            captures: try await bench.reports("north", shots), hasMore: false)
        await bench.rig.accept(.inventory(page), from: north)
    }

    /// After which captures pages were asked for.
    private func requests(_ bench: RigBench) -> [CaptureKey?] {
        bench.links.asked.value.sent.compactMap {
            if case .listInventory(let after) = $0.order { .some(after) } else { nil }
        }
    }

    private func collected(_ bench: RigBench) -> Set<ShotID> {
        Set(bench.links.asked.value.collected.keys.map(\.capture.shot))
    }

    @Test("Asks for what a hello does not list, and reports captures of unknown shots")
    func pages() async throws {
        let bench = try await bench()
        try await join(bench, listing: [1])
        #expect(collected(bench) == [Samples.shot(1)])
        #expect(requests(bench) == [try Samples.fileKey(1, "north/cam").capture])

        try await page(bench, after: 7, listing: [3])
        #expect(collected(bench) == [Samples.shot(1)], "a page that nobody has asked for")
        try await page(bench, after: 1, listing: [2, 3, 9])
        #expect(collected(bench) == [Samples.shot(1), Samples.shot(2), Samples.shot(3)])
        let told = bench.links.asked.value.events.map(\.source.event).filter { $0.name.rawValue == "spool.orphaned" }
        #expect(told.map(\.details) == [["node": "north", "captures": "1"]])

        for number in Int64(1)...3 { try await bench.collect("north", [UInt8(number)], number) }
        await bench.links.asked.wait { $0.released.count == 3 }
        #expect(bench.links.asked.value.released.allSatisfy { $0.onDisk == .done })
        await bench.end()
    }

    @Test("Keeps the pictures of two nodes apart that return together")
    func together() async throws {
        let bench = try await RigBench(folder: folder)
        let (own, others) = (Int64(1)...20, Int64(21)...40)
        try await miss(own, of: "north", bench)
        try await miss(others, of: "south", bench)
        let (ownReports, otherReports) = (
            try await bench.reports("north", own), try await bench.reports("south", others)
        )
        async let one = bench.hello("north", inventory: ownReports)
        async let other = bench.hello("south", inventory: otherReports)
        #expect(try await one == nil)
        #expect(try await other == nil)
        #expect(collected(bench) == Set((1...40).map { Samples.shot($0) }))
        #expect(!bench.links.asked.value.events.contains { $0.source.event.name.rawValue == "spool.orphaned" })
        await bench.end()
    }

    @Test("Takes pictures while it collects a backlog")
    func triggerBesideBacklog() async throws {
        let bench = try await bench()
        try await join(bench, listing: [1, 2, 3])
        let notices = await bench.rig.trigger(bench.order(20))
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north", 20)
        await bench.links.wait(forNodes: [north]) { $0.isFire }
        try await bench.captured("north", [20], 20)
        try await bench.collect("north", [20], 20)
        #expect(try await bench.answer(notices)?.status == .complete)
        await bench.end()
    }

    @Test("Reports a discarded picture as such in its shot")
    func discarded() async throws {
        let bench = try await bench()
        try await join(bench, listing: [1])
        func discard(_ number: Int64, _ sequence: UInt64, state: String) async throws {
            let event = RigEvent(
                .spoolDiscarded, realtimeNanoseconds: 1, local: LocalTime(nanoseconds: 1),
                device: try DeviceID("north/cam"), shot: Samples.shot(number), details: ["state": state])
            await bench.rig.accept(.events(Samples.batch(sequence...sequence, of: event)), from: north)
        }
        try await discard(1, 1, state: "waiting")
        try await discard(2, 2, state: "damaged")
        await bench.links.asked.wait { asked in
            asked.events.contains { $0.source.event.name == .shotSettled && $0.source.event.shot == Samples.shot(1) }
        }
        let shot = try #require(try await bench.library.shot(Samples.shot(1)))
        #expect(shot.status == .failed && shot.captures[0].problem?.code == .discarded)
        #expect(shot.captures[0].files[0].outcome == .failed)
        #expect(try await bench.library.shot(Samples.shot(2))?.captures[0].problem?.code == .nodeUnreachable)
        await bench.end()
    }

    @Test("Marks captures that no shot expects in a spool's list")
    func marking() async throws {
        let bench = try await bench()
        let captures = try [(1, "north/cam"), (9, "north/cam"), (1, "north/other")].map { number, device in
            SpooledCapture(
                key: try Samples.fileKey(number, device).capture, files: 1, byteCount: 1, state: .waiting)
        }
        let marked = await bench.rig.markOrphans(in: SpoolListing(captures: captures, hasMore: false))
        #expect(marked.captures.map(\.state) == [.waiting, .orphan, .orphan])
        await bench.end()
    }
}
