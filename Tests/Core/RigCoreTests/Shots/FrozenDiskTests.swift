import CaptureModel
import CaptureTestSupport
import PosixSupport
import RigTestSupport
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

/// A library whose disk does not answer. The clock is the test's, so that an answer in time is no matter of luck.
@Suite(.timeLimit(.minutes(1))) struct FrozenDiskTests {
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

    private func isRequested(_ bench: RigBench) -> Bool {
        bench.links.asked.value.sent.contains { $0.command.isPrepare || $0.command.isFire }
    }

    /// Until T, which is less than a second away, and the timeout have passed.
    private func passTimeout() {
        clock.advance(by: Self.timeout + .seconds(1))
    }

    @Test("A disk that takes no first manifest is answered with its failure by the deadline, and the shot never fires")
    func firstManifest() async throws {
        let bench = try await bench()
        disk.freeze()
        let order = bench.order(timeout: Self.timeout)
        let notices = await bench.rig.trigger(order)
        await disk.held.wait { $0 == 1 }
        passTimeout()
        let problem = await #expect(throws: CaptureProblem.self) { try await bench.answer(notices) }
        #expect(problem?.code == .inputOutput && problem?.message.contains("not known") == true)
        #expect(await bench.refusal(order)?.code == .inputOutput, "asked again while nothing is known")

        disk.thaw()
        await bench.links.asked.wait { $0.events.contains { $0.source.event.name == .shot(.settled) } }
        #expect(!isRequested(bench))
        let stored = try #require(try await bench.library.shot(order.shot))
        #expect(stored.status == .failed && stored.captures.map(\.problem?.code) == [.inputOutput])
        #expect(try await bench.answer(await bench.rig.trigger(order)) == stored)
        await bench.end()
    }

    @Test("A disk that does not tell whether a shot exists is answered with its failure by the deadline")
    func lookUp() async throws {
        let bench = try await bench()
        let other = Shot(
            id: Samples.shot(9), time: bench.rig.now, rigClock: RigClockID(rawValue: "rig-0"),
            wallClock: bench.rig.wallClock, coordinatorEpoch: Samples.epoch(7),
            request: ShotRequest(selection: Selection()), captures: [])
        disk.freeze()
        async let writing: Void = bench.library.journal(other)
        await disk.held.wait { $0 == 1 }
        let order = bench.order(timeout: Self.timeout)
        async let refusal = bench.refusal(order)
        while await bench.rig.lookups == 0 { await Task.yield() }
        clock.advance(by: Self.timeout)
        #expect(await refusal?.code == .inputOutput)

        disk.thaw()
        try await writing
        while await bench.rig.lookups > 0 { await Task.yield() }
        #expect(await bench.rig.shots.isEmpty && !isRequested(bench))
        #expect(try await bench.library.shot(order.shot) == nil)
        let notices = await bench.rig.trigger(order)
        await bench.links.wait(forNodes: [north]) { $0.isPrepare }
        try await bench.refused("north", CaptureProblem(.notRunning, "north/cam is unplugged"))
        #expect(try await bench.answer(notices)?.status == .failed, "a request that is repeated is carried out once")
        await bench.end()
    }

    @Test("A disk that takes no later manifest delays no answer, which says no more than is durable")
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

    @Test("A client that asks a coordinator which has restarted is answered within its timeout")
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
        try await bench.library.journal(shot)
        try await bench.rig.resumeOpenShots()
        let notices = await bench.rig.trigger(bench.order(timeout: Self.timeout))
        passTimeout()
        let answer = try await bench.answer(notices)
        #expect(answer?.status == .open && answer?.id == shot.id)
        await bench.end()
    }

    @Test("The time that the answer may take is told with the first notice, and files are first while somebody waits")
    func told() async throws {
        let bench = try await bench()
        let notices = await bench.rig.trigger(bench.order(timeout: Self.timeout))
        var iterator = notices.makeAsyncIterator()
        guard case .progress(_, let shot, _, let due) = await iterator.next() else {
            Issue.record("the first notice is no progress")
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
