import CaptureModel
import CaptureTestSupport
import MemoryObjectStore
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct MemoryObjectStoreTests {
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
        let seeds = TestExtent.some(8, of: UInt64(1)...30)
        for seed in seeds {
            let run = try ShotRun(seed: seed)
            try await run.complete()
            try await run.check()
            counts.lostRequests += run.outage.counts.lostRequests
            counts.lostAnswers += run.outage.counts.lostAnswers
            counts.endings += run.outage.counts.endings
        }
        let fewest = seeds.count
        #expect(counts.lostRequests > fewest && counts.lostAnswers > fewest && counts.endings > fewest, "\(counts)")
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

    @Test func `a write after a failed one replaces what this writer stored, and nobody else's manifest`() async throws
    {
        let fault = Observed<MemoryBucket.Fault?>(nil)
        let bucket = MemoryBucket { request in request == "put" ? fault.value : nil }
        let store = MemoryObjectStore(bucket)
        let library = ShotLibrary(store: store, assets: store, stored: store, annotations: store, reading: store)
        var shot = try Samples.shot()
        try await library.write(shot)
        for lost in [MemoryBucket.Fault.requestLost, .answerLost] {
            shot.revision += 1
            fault.change { $0 = lost }
            await #expect(throws: StorageError.self) { try await library.write(shot) }
            fault.change { $0 = nil }
            shot.revision += 1
            try await library.write(shot)
            #expect(try await store.shot(shot.id) == shot)
        }

        let before = shot.revision
        shot.revision += 1
        fault.change { $0 = .requestLost }
        await #expect(throws: StorageError.self) { try await library.write(shot) }
        fault.change { $0 = nil }
        var other = shot
        other.coordinatorEpoch = Epoch.random()
        try await MemoryObjectStore(bucket).replace(before, with: other)
        for _ in 0..<2 {
            shot.revision += 1
            let error = await #expect(throws: StorageError.self) { try await library.write(shot) }
            #expect(error?.code == .conflict)
            #expect(try await store.shot(shot.id) == other)
        }
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
        #expect(bucket.requests["get"] == 5, "only two manifests, and whether the shot was deleted, are read")
        try await store.collect(key, bytes, piece: 1 << 20)
        #expect(try await store.content(of: key) == Samples.content(bytes))
        #expect(bucket.uploadCount == 0)
    }
}

/// Loses requests and answers of a bucket by chance, and ends processes: from then on nothing of them arrives.
final class Outage: Sendable {
    private struct State: Sendable {
        var generator: SeededGenerator
        var hasEnded = false
        var counts = Counts()
    }

    struct Counts: Hashable, Sendable {
        var lostRequests = 0
        var lostAnswers = 0
        var endings = 0
    }

    private let state: Locked<State>
    private let isOn = Locked(true)

    init(seed: UInt64) {
        state = Locked(State(generator: SeededGenerator(seed: seed)))
    }

    var counts: Counts { state.withLock { $0.counts } }

    /// Whether the process that runs has ended.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    /// Another process begins.
    func begin() {
        state.withLock { $0.hasEnded = false }
    }

    func stop() {
        isOn.withLock { $0 = false }
        begin()
    }

    /// To be given to a bucket.
    var fault: @Sendable (String) -> MemoryBucket.Fault? {
        { [self] _ in isOn.withLock { $0 } ? next() : nil }
    }

    private func next() -> MemoryBucket.Fault? {
        state.withLock { state in
            guard !state.hasEnded else { return .requestLost }
            switch Int.random(in: 0..<100, using: &state.generator) {
            case 0..<7:
                state.counts.lostRequests += 1
                return .requestLost
            case 7..<14:
                state.counts.lostAnswers += 1
                return .answerLost
            case 14..<20:
                // The request may have been carried out.
                state.hasEnded = true
                state.counts.endings += 1
                return Bool.random(using: &state.generator) ? .requestLost : .answerLost
            default: return nil
            }
        }
    }
}

/// A shot of two cameras that processes complete one after another, each of which knows only what the bucket says.
struct ShotRun {
    let outage: Outage
    private let bucket: MemoryBucket
    private let first: Shot
    private let files: [FileKey: [UInt8]]
    /// Of the files: unoptimized, to compare all their bytes takes long.
    private let contents: [FileKey: AssetContent]
    /// Processes that may be needed; a run that needs more does not get on.
    private static let lifeLimit = 400

    init(seed: UInt64) throws {
        outage = Outage(seed: seed)
        bucket = MemoryBucket(fault: outage.fault)
        var shot = try Samples.shot()
        var files: [FileKey: [UInt8]] = [:]
        let sizes = [10, 11 << 20, 5 << 20, 0]
        for index in shot.captures.indices {
            let device = shot.captures[index].device
            shot.captures[index] = Capture(device: device, kinds: [.photo, .pairedVideo])
            for (place, kind) in [AssetKind.photo, .pairedVideo].enumerated() {
                let key = FileKey(capture: CaptureKey(shot: shot.id, device: device.id), kind: kind)
                files[key] = Samples.bytes(sizes[2 * index + place], seed: UInt8(2 * index + place + 1))
            }
        }
        (first, self.files) = (shot, files)
        contents = try files.mapValues(Samples.content)
    }

    func complete() async throws {
        for _ in 0..<Self.lifeLimit {
            outage.begin()
            if try await live() { return outage.stop() }
            try checkTruth()
        }
        Issue.record("the shot is not complete after \(Self.lifeLimit) processes")
    }

    /// One process: tries again what fails, until it ends.
    /// - Returns: Whether the shot is complete.
    private func live() async throws -> Bool {
        let store = MemoryObjectStore(bucket)
        let library = ShotLibrary(store: store, assets: store, stored: store, annotations: store, reading: store)
        while !outage.hasEnded {
            do {
                if try await resume(library, store) { return true }
            } catch is StorageError {
                continue
            }
        }
        return false
    }

    private func resume(_ library: ShotLibrary, _ store: MemoryObjectStore) async throws -> Bool {
        guard var shot = try await library.shot(first.id) else {
            try await library.write(first)
            return false
        }
        guard shot.status == .open else { return true }
        for capture in shot.captures.indices {
            for file in shot.captures[capture].files.indices where !shot.captures[capture].files[file].isStored {
                let device = shot.captures[capture].device.id
                let kind = shot.captures[capture].files[file].kind
                let key = FileKey(capture: CaptureKey(shot: shot.id, device: device), kind: kind)
                try await store.collect(key, files[key] ?? [], piece: 1 << 20)
                shot.captures[capture].files[file].outcome = .done
                shot.captures[capture].files[file].digest = try Samples.digest(files[key] ?? [])
                shot.revision += 1
                try await library.write(shot)
            }
        }
        shot.status = .complete
        shot.revision += 1
        try await library.write(shot)
        return true
    }

    /// Nothing is called stored that is not.
    private func checkTruth() throws {
        guard let manifest = bucket.objects["shots/\(first.id)/manifest.json"] else { return }
        let shot = try MemoryObjectStore.shot(in: manifest.bytes)
        for key in shot.storedFiles {
            let place = "assets/\(shot.id)/\(key.capture.device.folderName)/\(key.kind.fileName)"
            let stored = try bucket.objects[place].map { try Samples.content($0.bytes) }
            #expect(stored == contents[key], "\(key) is called stored")
        }
    }

    /// Once all is calm: the shot is complete, every byte is right, and nothing else is left.
    func check() async throws {
        try checkTruth()
        let store = MemoryObjectStore(bucket)
        let shot = try #require(try await store.shot(first.id))
        #expect(shot.status == .complete && shot.storedFiles.count == files.count)
        let findings = try await ShotVerification(shots: store, assets: store).findings(of: shot.id)
        #expect(findings.map(\.state) == [.ok, .ok, .ok, .ok])
        await store.forgetUploads(exceptOf: [])
        #expect(bucket.uploadCount == 0)
    }
}
