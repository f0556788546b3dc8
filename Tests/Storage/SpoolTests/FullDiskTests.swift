import CaptureModel
import CaptureTestSupport
import Journal
import PosixSupport
import Spool
import Testing

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

        let problem = await #expect(throws: CaptureProblem.self) {
            try await spool.store(Samples.key(2), Samples.bytes(200_000), reservation: reservation)
        }
        #expect(problem?.code == .noSpace)
        #expect(problem?.message.contains(disk.path) == true)
        #expect(problem?.message.contains("bytes free") == true)
        let refused = await #expect(throws: CaptureProblem.self) { try await spool.reserve(byteCount: 200_000) }
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
