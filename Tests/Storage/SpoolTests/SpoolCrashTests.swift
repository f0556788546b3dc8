import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import Spool
import Testing

@Suite struct SpoolCrashTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()
    let bytes = Samples.bytes(3000)

    /// Two pieces and a manifest: open, write, write, sync, open, write, sync, rename, sync folder.
    static let storeSteps = 9

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `storing makes files durable before the manifest that names them`() async throws {
        let spool = try Samples.spool(folder, disk: disk)
        disk.fail(nil)
        try await spool.store(Samples.key(), bytes)
        #expect(
            disk.steps == [
                .open, .write, .write, .syncFile, .open, .write, .syncFile, .rename, .syncFolder,
            ])
    }

    @Test(arguments: 0..<storeSteps)
    func `a crash while storing leaves the whole capture or nothing`(_ step: Int) async throws {
        var spool: Spool? = try Samples.spool(folder, disk: disk)
        disk.fail(.crash(at: step))
        await #expect(throws: CaptureProblem.self) { try await spool?.store(Samples.key(), bytes) }
        spool = nil

        let reopened = try Samples.spool(folder)
        let inventory = await reopened.inventory()
        #expect(inventory.count == (step == Self.storeSteps - 1 ? 1 : 0))
        #expect(try folder.names("captures").count == 2 * inventory.count)
        #expect(try folder.names("damaged") == [])
        try await reopened.store(Samples.key(), bytes)
        #expect(try await reopened.read(Samples.photo(), offset: 0, count: 3000) == bytes)
        #expect(await reopened.inventory().count == 1)
    }

    @Test(arguments: 0..<storeSteps, [ENOSPC, EIO, EDQUOT, EROFS])
    func `a disk that fails while storing gives an honest outcome and keeps nothing`(_ step: Int, _ code: CInt)
        async throws
    {
        let spool = try Samples.spool(folder, disk: disk)
        let reservation = try await spool.reserve(byteCount: 3000)
        disk.fail(.once(at: step, code: code))
        let problem = await #expect(throws: CaptureProblem.self) {
            try await spool.store(Samples.key(), bytes, reservation: reservation)
        }
        #expect(problem?.code == ([EIO, EROFS].contains(code) ? .inputOutput : .noSpace))
        #expect(problem?.message.contains("read-only") == (code == EROFS))
        #expect(problem?.message.contains(folder.path) == true)
        #expect(try folder.names("captures") == [])
        #expect(await spool.usage().storedBytes == 0)
        #expect(await spool.usage().reservedBytes == 0)
        disk.fail(nil)
        try await spool.store(Samples.key(), bytes)
        #expect(await spool.inventory().count == 1)
    }

    @Test(arguments: 0..<3)
    func `a crash while releasing never leaves a manifest without its file`(_ step: Int) async throws {
        var spool: Spool? = try Samples.spool(folder, disk: disk)
        let digest = try #require(await spool?.store(Samples.key(), bytes).files.first?.digest)
        disk.fail(.crash(at: step))
        await #expect(throws: CaptureProblem.self) { try await spool?.release(Samples.photo(), digest: digest) }
        #expect(disk.steps.prefix(3).elementsEqual([.remove, .syncFolder, .remove].prefix(step + 1)))
        spool = nil

        let reopened = try Samples.spool(folder)
        let inventory = await reopened.inventory()
        #expect(inventory.count == (step == 0 ? 1 : 0))
        #expect(try folder.names("captures").count == 2 * inventory.count)
        #expect(try folder.names("damaged") == [])
        if step == 0 { #expect(try await reopened.read(Samples.photo(), offset: 0, count: 3000) == bytes) }
    }

    @Test(arguments: 0..<3)
    func `a release that failed is finished by repeating it`(_ step: Int) async throws {
        let spool = try Samples.spool(folder, disk: disk)
        let digest = try await spool.store(Samples.key(), bytes).files[0].digest
        disk.fail(.once(at: step, code: EIO))
        await #expect(throws: CaptureProblem.self) { try await spool.release(Samples.photo(), digest: digest) }
        try await spool.release(Samples.photo(), digest: digest)
        #expect(try folder.names("captures") == [])
        #expect(await spool.usage().storedBytes == 0)
    }

    @Test func `an agent starts on a disk that is read-only, or does not say which`() throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/captures", withIntermediateDirectories: true)
        disk.fail(.every(.open, code: EROFS))
        let error = #expect(throws: PosixError.self) { try Samples.spool(folder, disk: disk) }
        #expect(error?.description.contains(folder.path) == true && error?.description.contains("read-only") == true)
    }

    @Test(arguments: [FileStep.write, .rename, .remove, .syncFile, .syncFolder], [EIO, EROFS])
    func `a disk that turns read-only or fails takes captures stored before with it, or stays broken after`(
        _ step: FileStep, _ code: CInt
    ) async throws {
        let spool = try Samples.spool(folder, disk: disk)
        let digest = try await spool.store(Samples.key(1), bytes).files[0].digest
        disk.fail(.every(step, code: code))
        if step != .remove {
            let problem = await #expect(throws: CaptureProblem.self) { try await spool.store(Samples.key(2), bytes) }
            #expect(problem?.code == .inputOutput)
        } else {
            await #expect(throws: CaptureProblem.self) { try await spool.release(Samples.photo(1), digest: digest) }
        }
        #expect(await spool.inventory().map(\.key) == [try Samples.key(1)])
        #expect(try await spool.read(Samples.photo(1), offset: 0, count: 3000) == bytes)
        #expect(await spool.usage().storedBytes == 3000)
        disk.fail(nil)
        try await spool.store(Samples.key(2), bytes)
        try await spool.release(Samples.photo(1), digest: digest)
        #expect(try await Samples.spoolInventory(folder, after: spool) == [try Samples.key(2)])
    }
}
