import CaptureModel
import CaptureTestSupport
import MemoryObjectStore
import StorageConformance
import StorageKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct MemoryObjectStoreTests {
    @Test(arguments: StoreCheck.allCases) func `a store with S3's rules keeps the promises of a store`(
        _ check: StoreCheck
    ) async throws {
        let suite = StorageConformance {
            let bucket = MemoryBucket()
            return {
                let store = MemoryObjectStore(bucket)
                return OpenStore(shots: store, annotations: store, assets: store)
            }
        }
        try await suite.run(check)
    }

    @Test func `shots are complete and true whatever requests, answers and processes are lost`() async throws {
        var counts = Outage.Counts()
        for seed in UInt64(1)...30 {
            let run = try ShotRun(seed: seed)
            try await run.complete()
            try await run.check()
            counts.lostRequests += run.outage.counts.lostRequests
            counts.lostAnswers += run.outage.counts.lostAnswers
            counts.endings += run.outage.counts.endings
        }
        #expect(counts.lostRequests > 30 && counts.lostAnswers > 30 && counts.endings > 30, "\(counts)")
    }

    @Test func `a first manifest whose answer was lost is stored once, and another owner's is refused`() async throws {
        let isLost = Observed(true)
        let bucket = MemoryBucket { request in request == "put" && isLost.value ? .answerLost : nil }
        let store = MemoryObjectStore(bucket)
        let shot = try Samples.shot()
        await #expect(throws: StorageError.self) { try await store.create(shot) }
        isLost.change { $0 = false }
        try await store.create(shot)
        try await store.create(shot)
        var other = shot
        other.coordinatorEpoch = Epoch.random()
        let error = await #expect(throws: StorageError.self) { try await MemoryObjectStore(bucket).create(other) }
        #expect(error?.code == .conflict)
        #expect(try await store.shot(shot.id) == shot)
    }

    @Test func `an upload goes on at the last part that the bucket has, and rereads nothing`() async throws {
        let fails = Observed(false)
        let bucket = MemoryBucket { request in request == "uploadPart" && fails.value ? .answerLost : nil }
        let store = MemoryObjectStore(bucket)
        try await store.create(Samples.shot())
        let (key, bytes) = (try Samples.photo(), Samples.bytes(16 << 20))
        _ = try await store.begin(key, Samples.content(bytes))
        let part = MemoryBucket.smallestPart
        #expect(try await store.append(Array(bytes[..<part]), to: key, at: 0) == part)
        #expect(try await store.append(Array(bytes[part..<part + 7]), to: key, at: Int64(part)) == part)
        fails.change { $0 = true }
        await #expect(throws: StorageError.self) {
            try await store.append(Array(bytes[(part + 7)..<(2 * part + 7)]), to: key, at: Int64(part + 7))
        }
        fails.change { $0 = false }
        #expect(try await store.begin(key, Samples.content(bytes)) == .resume(at: Int64(part)))
        #expect(bucket.requests["get"] == 2, "only manifests are read")
        try await store.collect(key, bytes, piece: 1 << 20)
        #expect(try await store.content(of: key) == Samples.content(bytes))
        #expect(bucket.uploadCount == 0)
    }
}
