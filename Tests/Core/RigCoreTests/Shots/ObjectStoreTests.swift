import CaptureModel
import CaptureTestSupport
import MemoryObjectStore
import PosixSupport
import RigTestSupport
import ShotLogic
import StorageKit
import Testing

@testable import RigCore

/// A rig whose library is a bucket that answers like S3, or does not.
@Suite(.timeLimit(.minutes(1))) struct ObjectStoreTests {
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
