import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import Journal
import OpenSSL
import PosixSupport
import Spool
import Testing

@Suite struct DiscardingTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()
    let bytes = Samples.bytes(3000)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a discarded capture comes back, takes room, or takes another one with it`() async throws {
        var spool: Spool? = try Samples.spool(folder)
        for number in Int64(1)...3 { try await spool?.store(Samples.key(number), bytes) }
        let gone = try await spool?.discard(Samples.key(2))
        #expect(gone?.key == (try Samples.key(2)))
        #expect(try await spool?.discard(Samples.key(2)) == nil)
        #expect(await spool?.usage().storedBytes == 6000)
        spool = nil
        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory().map(\.key) == [try Samples.key(1), try Samples.key(3)])
        #expect(reopened.startupFindings == [])
    }

    @Test(arguments: 0..<3)
    func `a crash while discarding leaves a manifest without its file`(_ step: Int) async throws {
        var spool: Spool? = try Samples.spool(folder, disk: disk)
        try await spool?.store(Samples.key(), bytes)
        disk.fail(.crash(at: step))
        await #expect(throws: SpoolError.self) { try await spool?.discard(Samples.key()) }
        spool = nil
        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory().count == (step == 0 ? 1 : 0))
        #expect(try folder.names("damaged") == [])
    }

    @Test func `a discard that failed is finished by repeating it`() async throws {
        let spool = try Samples.spool(folder, disk: disk)
        try await spool.store(Samples.key(), bytes)
        disk.fail(.once(at: 1, code: EIO))
        await #expect(throws: SpoolError.self) { try await spool.discard(Samples.key()) }
        #expect(await spool.inventory().count == 1)
        #expect(try await spool.discard(Samples.key()) != nil)
        #expect(try folder.names("captures") == [])
    }

    @Test func `damaged captures are not found, or not removed whole`() async throws {
        var spool: Spool? = try Samples.spool(folder)
        for number in Int64(1)...2 { try await spool?.store(Samples.key(number), bytes) }
        spool = nil
        let photo = try folder.names("captures").first { $0.contains("\(Samples.shot(1))") && $0.hasSuffix(".jpg") }
        try folder.write("short", to: "captures/\(try #require(photo))")
        try folder.write("foreign", to: "damaged/notes.txt")
        let reopened = try Samples.spool(folder)
        let damaged = try await reopened.damagedCaptures()
        #expect(damaged.map(\.key) == [try Samples.key(1)])
        #expect(damaged.first?.names.count == 2)
        #expect(try await reopened.discardDamaged(Samples.key(2)) == nil)
        #expect(try await reopened.discardDamaged(Samples.key(1)) == damaged.first)
        #expect(try folder.names("damaged") == ["notes.txt"])
        #expect(await reopened.inventory().map(\.key) == [try Samples.key(2)])
    }

    @Test func `a long inventory is listed with gaps, twice, or in another order than that of the shots`() async throws
    {
        let spool = try Samples.spool(folder)
        for number in [Int64(5), 1, 4, 2, 3] { try await spool.store(Samples.key(number), bytes) }
        var listed: [CaptureKey] = []
        var hasMore = true
        while hasMore {
            let page = await spool.inventory(after: listed.last, limit: 2)
            listed += page.captures.map(\.key)
            hasMore = page.hasMore
        }
        #expect(listed == (try (1...5).map { try Samples.key($0) }))
    }

    @Test func `a capture of which a file was removed or cut by hand is listed with what is left of it`() async throws {
        let spool = try Samples.spool(folder)
        for number in Int64(1)...4 { try await spool.store(Samples.key(number), bytes) }
        #expect(try await spool.holdings(limit: 10).captures.map(\.isWhole) == [true, true, true, true])
        let names = try folder.names("captures")
        func name(_ number: Int64, _ suffix: String) throws -> String {
            try #require(names.first { $0.contains("\(Samples.shot(number))") && $0.hasSuffix(suffix) })
        }
        let (photo, manifest) = (try name(1, ".jpg"), try name(3, "capture.json"))
        _ = unsafe unlink("\(folder.path)/captures/\(photo)")
        try folder.write("short", to: "captures/\(try name(2, ".jpg"))")
        _ = unsafe unlink("\(folder.path)/captures/\(manifest)")
        let listed = try await spool.holdings(limit: 3)
        #expect(listed.captures.map(\.report.key) == (try (1...3).map { try Samples.key($0) }) && listed.hasMore)
        #expect(listed.captures.map(\.isWhole) == [false, false, false])
        #expect(listed.captures.map(\.files) == [0, 0, 1] && listed.captures.map(\.byteCount) == [0, 0, 3000])
        let rest = try await spool.holdings(after: Samples.key(3), limit: 3)
        #expect(rest.captures.map(\.isWhole) == [true] && !rest.hasMore)
        #expect(try await spool.discard(Samples.key(1)) != nil, "what is left can be discarded")
    }
}

@Suite(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired, "needs the right to mount a small file system"))
struct FullDiskTests {
    let disk: SmallDisk

    init() throws {
        disk = try SmallDisk()
    }

    @Test func `a full disk is an outcome with the path, and captures stored before stay`() async throws {
        let spool = try Samples.spool(disk.folder)
        try await spool.store(Samples.key(1), Samples.bytes(100_000))
        // Somebody else fills the disk, so that the reservation is in vain.
        let reservation = try await spool.reserve(byteCount: 200_000)
        let other = try Folder(opening: disk.path).open("other", for: .writing)
        while (try? other.write([UInt8](repeating: 1, count: 4096))) != nil {}

        let problem = await #expect(throws: SpoolError.self) {
            try await spool.store(Samples.key(2), Samples.bytes(200_000), reservation: reservation)
        }
        #expect(problem?.code == .noSpace)
        #expect(problem?.description.contains(disk.path) == true)
        #expect(problem?.description.contains("bytes free") == true)
        let refused = await #expect(throws: SpoolError.self) { try await spool.reserve(byteCount: 200_000) }
        #expect(refused?.code == .noSpace)
        #expect(await spool.inventory().map(\.key) == [try Samples.key(1)])
        #expect(try disk.folder.names("captures").count == 2)

        try other.setByteCount(0)
        try await spool.store(Samples.key(2), Samples.bytes(200_000))
        #expect(try await spool.read(Samples.photo(2), offset: 0, count: 200_000) == Samples.bytes(200_000))
    }

    @Test func `an unfinished clip that fills the disk leaves no room to say at the next start that there is none`()
        async throws
    {
        var spool: Spool? = try Samples.spool(disk.folder)
        _ = try await spool?.store(
            Samples.key(), resolved: Samples.resolved, timing: Samples.timing, files: [(.photo, [Samples.bytes(1000)])],
            owed: [.pairedVideo])
        try disk.fill(leaving: 0, as: "captures/\(try Samples.key().fileStem).pairedVideo.mov")
        spool = nil

        var reopened: Spool? = try Samples.spool(disk.folder)
        #expect(await reopened?.inventory().map(\.owed) == [[]])
        reopened = nil
        #expect(try Samples.spool(disk.folder).startupFindings == [], "it is to be durable by then")
    }

    @Test func `events of a full disk are still delivered, and later ones written whole`() async throws {
        let epoch = try #require(Epoch(rawValue: 1))
        var journal: EventJournal? = try EventJournal(
            folder: disk.path, epoch: epoch, limitBytes: 1 << 30, executor: try ThreadExecutor(name: "events"))
        for _ in 0..<200 { await journal?.append(document: [UInt8](repeating: 2, count: 4000)) }
        let unpersisted = try #require(await journal?.counters.unpersisted)
        #expect(unpersisted > 0 && unpersisted < 200)
        #expect(await journal?.pendingCount == 200)
        journal = nil
        let reopened = try EventJournal(
            folder: disk.path, epoch: epoch, limitBytes: 1 << 30, executor: try ThreadExecutor(name: "events"))
        #expect(await reopened.pendingCount == 200 - Int(unpersisted))
        #expect(await reopened.counters.damaged == 0)
    }
}

/// Made-up captures for tests.
enum Samples {
    static func shot(_ number: Int64 = 1) -> ShotID {
        var generator = SeededGenerator(seed: UInt64(bitPattern: number))
        return ShotID(unixMilliseconds: 1_795_255_861_000 + number, using: &generator)
    }

    static func key(_ number: Int64 = 1, device: String = "north/cam1") throws -> CaptureKey {
        CaptureKey(shot: shot(number), device: try DeviceID(device))
    }

    static func photo(_ number: Int64 = 1) throws -> FileKey {
        FileKey(capture: try key(number), kind: .photo)
    }

    static let resolved = ResolvedPhotoSettings(
        width: 640, height: 360,
        streamFormat: VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(33)),
        isCameraEncoded: true, orientation: .degrees0)

    static let timing = FrameTiming(
        sequence: .max, localMidExposure: LocalTime(nanoseconds: 9_007_199_254_740_993),
        midExposure: BoundedRigTime(time: RigTime(nanoseconds: 9_007_199_254_740_995), bound: .microseconds(120)),
        skewNanoseconds: -1_234_567, exposureNanoseconds: 10_000_000, dequeued: RigTime(nanoseconds: .max))

    /// Bytes that differ from file to file.
    static func bytes(_ count: Int, seed: UInt8 = 1) -> [UInt8] {
        SampleBytes.file(count, seed: seed)
    }

    static func digest(_ bytes: [UInt8]) -> ContentDigest? {
        ContentDigest(bytes: SHA256.hash(bytes))
    }

    static func spool(
        _ folder: TemporaryFolder, limitBytes: Int64 = 1 << 20, reserveFreeBytes: Int64 = 0, disk: FaultyDisk? = nil
    ) throws -> Spool {
        try Spool(
            folder: folder.path, limitBytes: limitBytes, reserveFreeBytes: reserveFreeBytes,
            executor: try ThreadExecutor(name: "spool"), fault: disk?.fault)
    }
}

extension Samples {
    /// What a process that starts on the folder would find, read while `spool` still holds the lock.
    static func spoolInventory(_ folder: TemporaryFolder, after spool: Spool) async throws -> [CaptureKey] {
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: folder.path + "/captures", toPath: copy.path + "/captures")
        return try await Samples.spool(copy).inventory().map(\.key)
    }
}

extension Spool {
    /// Stores a photo in two pieces.
    @discardableResult
    func store(
        _ key: CaptureKey, _ bytes: [UInt8], reservation: SpoolReservation? = nil
    ) throws(SpoolError) -> CaptureReport {
        let half = bytes.count / 2
        return try store(
            key, resolved: Samples.resolved, timing: Samples.timing,
            files: [(.photo, [Array(bytes[..<half]), Array(bytes[half...])])], reservation: reservation)
    }
}
