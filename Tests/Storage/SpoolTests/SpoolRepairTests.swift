import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import Spool
import Testing

@Suite struct SpoolRepairTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// What can befall a stored capture.
    enum Damage: CaseIterable {
        case emptyManifest, cutManifest, otherKey, noFiles, shortFile, missingFile, manifestIsFolder, oversizedManifest
    }

    @Test(arguments: Damage.allCases)
    func `a damaged capture is moved aside and told, and the others stay`(_ damage: Damage) async throws {
        var spool: Spool? = try Samples.spool(folder)
        try await spool?.store(Samples.key(1), Samples.bytes(100))
        try await spool?.store(Samples.key(2), Samples.bytes(100))
        spool = nil
        try inflict(damage, on: Samples.key(1).fileStem)

        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory().map(\.key) == [try Samples.key(2)])
        #expect(await reopened.usage().damagedCount == 1)
        #expect(reopened.startupFindings.count == 1)
        #expect(reopened.startupFindings[0].contains("\(try Samples.key(1))"))
        #expect(try folder.names("captures").count == 2)
        #expect(try folder.names("damaged").count == (damage == .missingFile ? 1 : 2))
        try await reopened.store(Samples.key(1), Samples.bytes(100))
    }

    @Test func `what was recorded for a capture whose manifest is damaged, or of a newer version, is thrown away`()
        async throws
    {
        var spool: Spool? = try Samples.spool(folder)
        for number in [Int64(1), 2, 3] {
            let key = try Samples.key(number)
            try await spool?.store(key, Samples.bytes(100))
            try spool?.recordings.write([Samples.bytes(50)], to: Spool.recordingName(key) + "-001.recording.mov")
        }
        spool = nil
        try inflict(.cutManifest, on: Samples.key(1).fileStem)
        let manifest = "captures/\(try Samples.key(2).fileStem).capture.json"
        let text = String(decoding: try folder.read(manifest), as: UTF8.self)
        try folder.write(text.replacing("\"schemaVersion\" : 2", with: "\"schemaVersion\" : 9"), to: manifest)

        let reopened = try Samples.spool(folder)
        reopened.removeRecordings { _ in true }
        #expect(try folder.names("recordings") == [Spool.recordingName(Samples.key(2)) + "-001.recording.mov"])
        let damaged = try await reopened.damagedCaptures()
        #expect(damaged.map(\.key) == [try Samples.key(1)])
        #expect(damaged.first?.names.contains("\(try Samples.key(1).fileStem).recording-001.recording.mov") == true)
    }

    private func inflict(_ damage: Damage, on stem: String) throws {
        let manifest = "captures/\(stem).capture.json"
        let photo = "captures/\(stem).photo.jpg"
        let text = String(decoding: try folder.read(manifest), as: UTF8.self)
        switch damage {
        case .emptyManifest: try folder.write("", to: manifest)
        case .cutManifest: try folder.write(String(text.dropLast(20)), to: manifest)
        case .otherKey: try folder.write(text.replacing("north", with: "south"), to: manifest)
        case .noFiles: try folder.write(text.replacing(/"files" : \[[^\]]*\]/, with: "\"files\" : []"), to: manifest)
        case .shortFile: try folder.write("short", to: photo)
        case .missingFile: try FileManager.default.removeItem(atPath: "\(folder.path)/\(photo)")
        case .manifestIsFolder:
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(manifest)")
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(manifest)", withIntermediateDirectories: false)
        case .oversizedManifest: try folder.write(text + String(repeating: " ", count: 1 << 20), to: manifest)
        }
    }

    @Test func `captures damaged at different starts do not overwrite each other`() async throws {
        for _ in 0..<3 {
            var spool: Spool? = try Samples.spool(folder)
            try await spool?.store(Samples.key(), Samples.bytes(100))
            spool = nil
            try inflict(.cutManifest, on: Samples.key().fileStem)
        }
        #expect(await (try Samples.spool(folder)).inventory() == [])
        #expect(try folder.names("damaged").count == 6)
    }

    @Test func `leftovers of unfinished work go, everything foreign stays`() async throws {
        _ = try Samples.spool(folder)
        let stem = try Samples.key().fileStem
        try folder.write("half", to: "captures/\(stem).photo.jpg")
        try folder.write("half", to: "captures/\(stem).capture.json.tmp")
        try folder.write("mine", to: "captures/notes.txt")
        try folder.write("mine", to: "captures/not.a.capture.capture.json")
        let spool = try Samples.spool(folder)
        #expect(try folder.names("captures") == ["not.a.capture.capture.json", "notes.txt"])
        #expect(await spool.usage().removedLeftovers == 2)
        #expect(await spool.usage().foreignCount == 2)
        #expect(spool.startupFindings.count == 2)
    }

    @Test func `what a newer version stored is left alone`() async throws {
        var spool: Spool? = try Samples.spool(folder)
        try await spool?.store(Samples.key(), Samples.bytes(100))
        spool = nil
        let manifest = "captures/\(try Samples.key().fileStem).capture.json"
        let text = String(decoding: try folder.read(manifest), as: UTF8.self)
        try folder.write(text.replacing("\"schemaVersion\" : 2", with: "\"schemaVersion\" : 99"), to: manifest)
        let reopened = try Samples.spool(folder)
        #expect(await reopened.inventory() == [])
        #expect(try folder.names("captures").count == 2)
    }

    @Test func `a link planted in the spool is not followed`() async throws {
        let outside = try TemporaryFolder()
        try outside.write("precious", to: "file")
        let spool = try Samples.spool(folder)
        let name = "\(folder.path)/captures/\(try Samples.key().fileStem).photo.jpg"
        _ = unsafe symlink("\(outside.path)/file", name)
        await #expect(throws: SpoolError.self) { try await spool.store(Samples.key(), Samples.bytes(100)) }
        #expect(String(decoding: try outside.read("file"), as: UTF8.self) == "precious")
    }
}

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
        await #expect(throws: SpoolError.self) { try await spool?.store(Samples.key(), bytes) }
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
        let problem = await #expect(throws: SpoolError.self) {
            try await spool.store(Samples.key(), bytes, reservation: reservation)
        }
        #expect(problem?.code == ([EIO, EROFS].contains(code) ? .inputOutput : .noSpace))
        #expect(problem?.description.contains("read-only") == (code == EROFS))
        #expect(problem?.description.contains(folder.path) == true)
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
        await #expect(throws: SpoolError.self) { try await spool?.release(Samples.photo(), digest: digest) }
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
        await #expect(throws: SpoolError.self) { try await spool.release(Samples.photo(), digest: digest) }
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
            let problem = await #expect(throws: SpoolError.self) { try await spool.store(Samples.key(2), bytes) }
            #expect(problem?.code == .inputOutput)
        } else {
            await #expect(throws: SpoolError.self) { try await spool.release(Samples.photo(1), digest: digest) }
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
