import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport
import RigTestSupport
import ShotDocuments
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

/// A library whose disk does not answer. The clock is the test's, so whether an answer is in time does not depend on luck.
@Suite(.timeLimit(.minutes(10))) struct FrozenDiskTests {
    private let folder: TemporaryFolder
    private let north: NodeName
    private let disk: FreezingDisk
    private let clock = ManualTimeSource()
    private static let timeout = Duration.seconds(2)

    init() throws {
        folder = try TemporaryFolder()
        north = try NodeName("north")
        disk = try FreezingDisk()
    }

    private func bench() async throws -> RigBench {
        let bench = try await RigBench(folder: folder, clock: clock, fault: disk.fault)
        try await bench.hello("north")
        return bench
    }

    /// A shot that is written while the disk is frozen, so that whatever reads it waits.
    private func another(for bench: RigBench) -> Shot {
        Shot(
            id: Samples.shot(9), time: bench.rig.now, rigClock: RigClockID(rawValue: "rig-0"),
            wallClock: bench.rig.wallClock, coordinatorEpoch: Samples.epoch(7),
            request: ShotRequest(selection: Selection()), captures: [])
    }

    private func isRequested(_ bench: RigBench) -> Bool {
        bench.links.asked.value.sent.contains { $0.order.isPrepare || $0.order.isFire }
    }

    /// Until T, which is less than a second away, and the timeout have passed.
    private func passTimeout() {
        clock.advance(by: Self.timeout + .seconds(1))
    }

    @Test("Answers by the deadline when a disk takes no first manifest, and never fires")
    func firstManifest() async throws {
        let bench = try await bench()
        disk.freeze()
        let order = bench.order(timeout: Self.timeout)
        let notices = await bench.rig.trigger(order)
        await disk.held.wait { $0 == 1 }
        passTimeout()
        let problem = await #expect(throws: RigProblem.self) { try await bench.answer(notices) }
        #expect(problem?.code == .inputOutput && problem?.message.contains("not known") == true)
        #expect(await bench.refusal(order)?.code == .inputOutput, "asked again while nothing is known")

        disk.thaw()
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .shotSettled } }
        #expect(!isRequested(bench))
        let stored = try #require(try await bench.library.shot(order.shot))
        #expect(stored.status == .failed && stored.captures.map(\.problem?.code) == [.inputOutput])
        #expect(try await bench.answer(await bench.rig.trigger(order)) == stored)
        await bench.end()
    }

    @Test("Answers by the deadline when a disk does not tell whether a shot exists")
    func lookUp() async throws {
        let bench = try await bench()
        disk.freeze()
        async let writing: Void = bench.library.write(another(for: bench))
        await disk.held.wait { $0 == 1 }
        let order = bench.order(timeout: Self.timeout)
        async let refusal = bench.refusal(order)
        while bench.rig.library.lookupCount == 0 { await Task.yield() }
        clock.advance(by: Self.timeout)
        #expect(await refusal?.code == .inputOutput)

        disk.thaw()
        try await writing
        while bench.rig.library.lookupCount > 0 { await Task.yield() }
        #expect(await bench.rig.shotIDs.isEmpty && !isRequested(bench))
        #expect(try await bench.library.shot(order.shot) == nil)
        let notices = await bench.rig.trigger(order)
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.refused("north", RigProblem(.notRunning, "north/cam is unplugged"))
        #expect(try await bench.answer(notices)?.status == .failed, "a request that is repeated is carried out once")
        await bench.end()
    }

    @Test(
        "A request about a take that is not under way is answered within the timeout, though the disk does not answer")
    func take() async throws {
        let bench = try await bench()
        disk.freeze()
        async let writing: Void = bench.library.write(another(for: bench))
        await disk.held.wait { $0 == 1 }
        let take = Samples.shot(8)
        let stop = Task {
            try await bench.answer(await bench.rig.stop(StopTakeRequest(take: take), for: Samples.requester()))
        }
        let mark = Task { try await bench.rig.mark(MarkTakeRequest(take: take, mark: 1, text: "here")) }
        while bench.rig.library.lookupCount < 2 { await Task.yield() }
        clock.advance(by: bench.rig.settings.timeout)
        let stopped = await #expect(throws: RigProblem.self) { _ = try await stop.value }
        let marked = await #expect(throws: RigProblem.self) { _ = try await mark.value }
        for problem in [stopped, marked] {
            #expect(problem?.code == .inputOutput && problem?.message.contains("\(take)") == true)
        }
        disk.thaw()
        try await writing
        while bench.rig.library.lookupCount > 0 { await Task.yield() }
        await bench.end()
    }

    @Test("Answers in time with what is durable when a disk takes no later manifest")
    func laterManifest() async throws {
        let bench = try await bench()
        let order = bench.order(timeout: Self.timeout)
        let notices = await bench.rig.trigger(order)
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.armed("north")
        await bench.links.wait(forNodes: [north]) { $0.isFire }
        disk.freeze()
        try await bench.captured("north", [1, 2])
        passTimeout()
        let answer = try #require(try await bench.answer(notices))
        #expect(answer.status == .open && answer.captures[0].phase == .preparing)
        #expect(answer.captures[0].files.map(\.outcome) == [.pending])
        disk.thaw()
        try await bench.collect("north", [1, 2])
        await bench.links.asked.wait { $0.released.count == 1 }
        #expect(bench.links.asked.value.released[0].onDisk == .done)
        await bench.end()
    }

    @Test("Answers a client's repeat after a restart within its timeout")
    func resumed() async throws {
        var shot = Shot(
            id: Samples.shot(), time: RigTime(nanoseconds: clock.now().nanoseconds),
            rigClock: RigClockID(rawValue: "rig-1"),
            wallClock: WallClockPair(
                monotonic: RigTime(nanoseconds: clock.now().nanoseconds),
                realtimeNanoseconds: clock.wallClockPair().realtimeNanoseconds),
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection()),
            captures: [Capture(device: try Samples.device("north/cam").description, kinds: [.photo])])
        shot.captures[0].phase = .captured
        let bench = try await RigBench(folder: folder, clock: clock)
        try await bench.library.write(shot)
        // As another version might have written it.
        let file = URL(filePath: "\(bench.library.path)/\(bench.library.folder(of: shot))/shot.json")
        let written = try Data(contentsOf: file) + [UInt8(ascii: " ")]
        try written.write(to: file)
        try await bench.rig.resumeOpenShots()
        let notices = await bench.rig.trigger(bench.order(timeout: Self.timeout))
        passTimeout()
        var answered: AnsweredShot?
        for await case .answer(let answer) in notices { answered = answer }
        #expect(answered?.shot.status == .open && answered?.shot.id == shot.id)
        #expect(answered?.manifest?.bytes == Array(written))
        await bench.end()
    }

    @Test("Tells the time limit in the first notice, and fetches awaited files first")
    func told() async throws {
        let bench = try await bench()
        let notices = await bench.rig.trigger(bench.order(timeout: Self.timeout))
        var iterator = notices.makeAsyncIterator()
        guard case .progress(_, let shot, let due) = await iterator.next() else {
            Issue.record("the first notice is not progress")
            return await bench.end()
        }
        #expect(due == LocalTime(nanoseconds: shot.time.nanoseconds) + Self.timeout)
        #expect(bench.links.asked.value.priorities.map(\.isAwaited) == [true])
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        passTimeout()
        while let notice = await iterator.next() { if case .answer = notice { break } }
        await bench.links.asked.wait { $0.priorities.map(\.isAwaited) == [true, false] }
        await bench.end()
    }
}
