import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import PosixSupport
import RigTestSupport
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

/// The manifests of shots in a folder, without a rig.
@Suite(.timeLimit(.minutes(10))) struct ManifestWriterTests {
    private let folder: TemporaryFolder
    private let log = CapturedLog()
    /// Whether the disk refuses manifests.
    private let isFull = Locked(false)
    /// What was told of each attempt, in order.
    private let told = Observed<[RigProblem.Code?]>([])

    init() throws {
        folder = try TemporaryFolder()
    }

    private func library() throws -> ShotLibrary {
        try FolderStore(folder: folder.path + "/library") { [isFull] step, path in
            step == .write && path.contains("shot.json") && isFull.withLock(\.self) ? ENOSPC : nil
        }.library
    }

    private func shot(_ number: Int64 = 1) throws -> Shot {
        let time = RigTime(nanoseconds: 1_000_000_000)
        return Shot(
            id: Samples.shot(number), time: time, rigClock: RigClockID(rawValue: "rig-1"),
            wallClock: WallClockPair(monotonic: time, realtimeNanoseconds: 1_800_000_000_000_000_000),
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection()),
            captures: [Capture(device: try Samples.device("north/cam").description, kinds: [.photo])])
    }

    /// Has a manifest written, and waits until it is told what has become of it.
    private func write(_ shot: Shot, _ writer: ManifestWriter) async {
        let count = told.value.count
        writer.schedule(shot)
        await told.wait { $0.count > count }
    }

    @Test func `A manifest is in the library when that is told, and failures are logged once`() async throws {
        let library = try library()
        let writer = ManifestWriter(library, nil, nil, log: log.logger)
        let running = Task { await writer.run { [told] _, problem in told.change { $0.append(problem?.code) } } }
        let first = try shot()
        await write(first, writer)
        #expect(try await library.shot(first.id) == first)
        isFull.withLock { $0 = true }
        let second = try shot(2)
        for _ in 1...2 { await write(second, writer) }
        #expect(log.lines.value.map(\.message) == ["a manifest cannot be written"])
        isFull.withLock { $0 = false }
        await write(second, writer)
        await write(try shot(3), writer)
        #expect(told.value == [nil, .noSpace, .noSpace, nil, nil])
        #expect(log.lines.value.map(\.message) == ["a manifest cannot be written", "a manifest can be written again"])
        #expect(try await library.shot(second.id) == second)
        isFull.withLock { $0 = true }
        let fourth = try shot(4)
        for _ in 1...2 {
            await write(fourth, writer)
            writer.forget(fourth.id)
        }
        #expect(log.lines.value.count == 4, "what is forgotten fails for the first time")
        running.cancel()
        await running.value
    }
}
