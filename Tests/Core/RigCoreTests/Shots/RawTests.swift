import CaptureModel
import CaptureTestSupport
import ControlMessages
import Dispatch
import FolderStore
import MemoryObjectStore
import PosixSupport
import RigProtocol
import RigTestSupport
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(10))) struct RawTests {
    private let folder: TemporaryFolder
    private let bothNodes: Set<NodeName>

    init() throws {
        folder = try TemporaryFolder()
        bothNodes = [try NodeName("north"), try NodeName("south")]
    }

    /// `north` has RAW, and no room for a photo at this moment; `south` has none.
    private func bench() async throws -> RigBench {
        let bench = try await RigBench(folder: folder)
        let busy = SessionAbilities.Ability.refused("as many captures are under way as its ring has room for")
        try await bench.hello(
            "north",
            session: SessionCondition(
                phase: .running, readiness: .busy, abilities: SessionAbilities(photo: busy, raw: busy), hasRaw: true))
        try await bench.hello(
            "south",
            session: SessionCondition(
                phase: .running,
                abilities: SessionAbilities(photo: .allowed, raw: .refused("not enabled: set `raw: true`"))))
        return bench
    }

    private func prepared(_ bench: RigBench) -> [String: String] {
        var raw: [String: String] = [:]
        for case (let node, .prepare(let prepare)) in bench.links.asked.value.sent {
            raw[node.rawValue] = prepare.settings.raw?.rawValue ?? ""
        }
        return raw
    }

    @Test func `the first manifest says which cameras have a raw file, and no other is asked for one`() async throws {
        let bench = try await bench()
        _ = await bench.rig.trigger(bench.order(settings: PhotoSettings(raw: .withPhotoWhereEnabled)))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let shot = try #require(try FolderReader(folder: folder.path + "/library").shot(Samples.shot()))
        #expect(shot.revision == 0)
        #expect(shot.captures.map { $0.files.map(\.kind) } == [[.photo, .alternatePhoto], [.photo]])
        #expect(shot.captures.map(\.rawNote) == [nil, "no RAW: not enabled: set `raw: true`"])
        #expect(prepared(bench) == ["north": "withPhotoWhereEnabled", "south": ""])
        await bench.end()
    }

    @Test func `where RAW is required every camera is asked for it`() async throws {
        let bench = try await bench()
        _ = await bench.rig.trigger(bench.order(settings: PhotoSettings(raw: .withPhoto)))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let captures = await bench.rig.shot(Samples.shot())?.machine.shot.captures ?? []
        #expect(captures.map { $0.files.map(\.kind) } == Array(repeating: [.photo, .alternatePhoto], count: 2))
        #expect(captures.allSatisfy { $0.rawNote == nil })
        #expect(prepared(bench) == ["north": "withPhoto", "south": "withPhoto"])
        await bench.end()
    }

    @Test func `no raw file is expected of a bracket`() async throws {
        let bench = try await bench()
        let settings = PhotoSettings(bracket: [BracketStep(gain: 1)], raw: .withPhotoWhereEnabled)
        _ = await bench.rig.trigger(bench.order(settings: settings))
        await bench.links.wait(forNodes: bothNodes) { $0.isPrepare }
        let captures = await bench.rig.shot(Samples.shot())?.machine.shot.captures ?? []
        #expect(captures.map { $0.files.map(\.kind) } == [[.photo], [.photo]])
        #expect(captures.first?.rawNote == "no RAW: not supported for a bracket")
        await bench.end()
    }
}

/// A rig whose library is a bucket that answers like S3, or does not.
@Suite(.timeLimit(.minutes(10))) struct ObjectStoreTests {
    @Test func `a shot is complete though its coordinator ends in between and answers of the store are lost`()
        async throws
    {
        let puts = Locked(0)
        // Of every second write after the first manifest the answer is lost.
        let bucket = MemoryBucket { request in
            guard request == "put" else { return nil }
            let number = puts.withLock { puts in
                puts += 1
                return puts
            }
            return number > 2 && number.isMultiple(of: 2) ? .answerLost : nil
        }
        let (folder, north) = (try TemporaryFolder(), try NodeName("north"))
        let first = try await RigBench(folder: folder, objects: MemoryObjectStore(bucket))
        try await first.hello("north")
        _ = await first.rig.trigger(first.order())
        await first.links.wait(forNodes: [north]) { $0.isPrepare }
        try await first.armed("north")
        await first.links.wait(forNodes: [north]) { $0.isFire }
        let report = try await first.report("north", [7, 7, 7])
        await first.end()

        let second = try await RigBench(folder: folder, objects: MemoryObjectStore(bucket))
        try await second.rig.resumeOpenShots()
        try await second.hello("north", inventory: [report])
        try await collect([7, 7, 7], second)
        await second.links.asked.wait { $0.released.count == 1 }
        let shot = try #require(try await MemoryObjectStore(bucket).shot(Samples.shot()))
        #expect(shot.status == .complete && shot.captures[0].phase == .done)
        let key = try Samples.fileKey(1, "north/cam")
        #expect(try await MemoryObjectStore(bucket).read(key, at: 0, count: 9) == [7, 7, 7])
        #expect(puts.withLock { $0 } > 4, "the answers of some writes were lost")
        await second.end()
    }

    /// Tries again as collecting does.
    private func collect(_ bytes: [UInt8], _ bench: RigBench) async throws {
        while true {
            do {
                return try await bench.collect("north", bytes)
            } catch let error as StorageError {
                try #require(error.code == .inputOutput)
            }
        }
    }
}

/// Marks that are set in a take.
@Suite(.timeLimit(.minutes(10))) struct TakeMarkTests {
    @Test("Bounds the marks that wait for a disk, and sets none that it refuses")
    func hangingDisk() async throws {
        let (hangs, released) = (Observed(false), DispatchSemaphore(value: 0))
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder()) { _, _ in
            if hangs.value { released.wait() }
            return nil
        }
        hangs.change { $0 = true }
        let limit = ShotInProgress.watcherLimit
        func order(_ mark: Int) -> MarkTakeRequest {
            MarkTakeRequest(take: take.id, mark: UInt64(mark), text: "mark \(mark)")
        }
        let waiting = (1...limit).map { number in Task { [rig = bench.rig] in try await rig.mark(order(number)) } }
        while await bench.rig.shot(take.id)?.markerCount != limit { await Task.yield() }

        let problem = await #expect(throws: RigProblem.self) { _ = try await bench.rig.mark(order(limit + 1)) }
        #expect(problem?.code == .conflict)
        #expect(await bench.rig.shot(take.id)?.machine.shot.take?.marks.count == limit)

        hangs.change { $0 = false }
        released.signal()
        for mark in waiting { _ = try await mark.value }
        _ = try await bench.rig.mark(order(limit + 1))
        #expect(await bench.rig.shot(take.id)?.machine.shot.take?.marks.count == limit + 1)
        await bench.end()
    }
}

/// Takes that were recording when the coordinator's machine began a time line of its own.
@Suite(.timeLimit(.minutes(10))) struct TakeRebootTests {
    /// From the end of the old time line to the instant at which the new one began, as its clocks tell.
    private static let apart = Duration.seconds(1_000_000)

    @Test("Stops a take correctly after a reboot of the coordinator")
    func stop() async throws {
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder(), apart: Self.apart)
        _ = await bench.rig.stop(StopTakeRequest(take: take.id), for: Samples.requester())
        let stop = try #require(await bench.rig.shot(take.id)?.machine.shot.take?.stopTime)
        #expect((Duration.seconds(5)..<Duration.seconds(30)).contains(stop - take.time))
        await bench.end()
    }

    @Test("Places marks correctly after a reboot of the coordinator")
    func mark() async throws {
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder(), apart: Self.apart)
        let mark = try await bench.rig.mark(MarkTakeRequest(take: take.id, mark: 1, text: "go"))
        #expect((Duration.seconds(5)..<Duration.seconds(30)).contains(mark.offset))
        await bench.end()
    }
}

/// Clients that ask for the end of a take.
@Suite(.timeLimit(.minutes(10))) struct TakeStopTests {
    @Test("Bounds the waits of clients that repeat the stop of a long take")
    func repeated() async throws {
        let (bench, take) = try await RigBench.resumingTake(try TemporaryFolder())
        let order = StopTakeRequest(take: take.id)
        var asked: [AsyncStream<ShotNotice>] = []
        for _ in 0..<40 { asked.append(await bench.rig.stop(order, for: Samples.requester(1))) }
        #expect(await bench.rig.shot(take.id)?.stopperCount == 1)
        for earlier in asked.dropLast() {
            let problem = await #expect(throws: RigProblem.self) { try await bench.answer(earlier) }
            #expect(problem?.code == .conflict && problem?.message.contains("later request") == true)
        }
        for other in 2...32 { asked.append(await bench.rig.stop(order, for: Samples.requester(UInt8(other)))) }
        #expect(await bench.rig.shot(take.id)?.stopperCount == 32, "there is no room for the others")
        let excess = await bench.rig.stop(order, for: Samples.requester(33))
        let problem = await #expect(throws: RigProblem.self) { try await bench.answer(excess) }
        #expect(problem?.message.hasPrefix("32 clients wait") == true)
        await bench.end()
    }
}
