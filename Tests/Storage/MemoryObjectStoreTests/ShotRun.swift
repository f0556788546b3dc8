import CaptureModel
import MemoryObjectStore
import StorageConformance
import StorageKit
import Testing

/// A shot of two cameras that processes complete one after another, each of which knows only what the bucket says.
struct ShotRun {
    let outage: Outage
    private let bucket: MemoryBucket
    private let first: Shot
    private let files: [FileKey: [UInt8]]
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
                if try await goOn(library, store) { return true }
            } catch is StorageError {
                continue
            } catch is CaptureProblem {
                continue
            }
        }
        return false
    }

    private func goOn(_ library: ShotLibrary, _ store: MemoryObjectStore) async throws -> Bool {
        guard var shot = try await library.shot(first.id) else {
            try await library.journal(first)
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
                try await library.journal(shot)
            }
        }
        shot.status = .complete
        shot.revision += 1
        try await library.journal(shot)
        return true
    }

    /// Nothing is called stored that is not.
    private func checkTruth() throws {
        guard let manifest = bucket.objects["shots/\(first.id)/manifest.json"] else { return }
        let shot = try MemoryObjectStore.shot(in: manifest.bytes)
        for key in shot.storedFiles {
            let place = "assets/\(shot.id)/\(key.capture.device.folderName)/\(key.kind.fileName)"
            #expect(bucket.objects[place]?.bytes == files[key], "\(key) is called stored")
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
