import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import PosixSupport
import ShotDocuments
import StorageConformance
import StorageKit
import Testing

@testable import Export

/// Exports as archives, and what other programs make of them.
@Suite struct ArchiveTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private let library: FolderStore
    private let reader: FolderReader

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        library = try Samples.library(folder)
        reader = try FolderReader(folder: folder.path)
    }

    /// Stores a shot of two cameras with these files.
    private func store(_ number: Int64 = 1, _ north: [UInt8], _ south: [UInt8]) async throws -> Shot {
        var shot = try Samples.shot(number)
        try await library.write(shot)
        for (device, bytes) in [("north/cam1", north), ("south/cam1", south)] {
            try await library.collect(Samples.photo(number, device: device), bytes)
            shot = try shot.storing(bytes, of: device)
        }
        shot.status = .complete
        try await library.write(shot)
        return shot
    }

    private func photo(_ number: Int64) -> String {
        "\(folder.path)/\(Samples.folder(number))/north.cam1/photo.jpg"
    }

    private var archive: String { outside.path + "/set.zip" }

    /// Writes an archive, which must have the length that it was announced with.
    @discardableResult
    private func write(
        _ numbers: [Int64], _ layout: ExportLayout = .byShot, from store: (any ShotLookup & AssetRangeReading)? = nil
    ) async throws -> ExportReport {
        let prepared = try await ShotExport(store ?? reader).archive(numbers.map { Samples.shotID($0) }, as: layout)
        var bytes = Data()
        let report = try await prepared.write { bytes.append(contentsOf: $0) }
        #expect(Int64(bytes.count) == prepared.byteCount)
        try bytes.write(to: URL(filePath: archive))
        return report
    }

    /// What is in the archive, by three programs; those that are not installed are left out.
    private func extract() throws -> [String] {
        for command in [["unzip", "-tqq"], ["python3", "-m", "zipfile", "-t"], ["bsdtar", "-tf"]]
        where ExternalTool.isExpected(command[0]) {
            let told = try ExternalTool.run(command + [archive])
            #expect(told.status == 0, "\(command): \(told.output)")
        }
        try FileManager.default.createDirectory(atPath: outside.path + "/unpacked", withIntermediateDirectories: false)
        let told = try ExternalTool.run("python3", "-m", "zipfile", "-e", archive, outside.path + "/unpacked")
        #expect(told.status == 0, "\(told.output)")
        return try files(outside.path + "/unpacked")
    }

    private func files(_ root: String) throws -> [String] {
        try #require(FileManager.default.enumerator(atPath: root)?.allObjects as? [String])
            .filter { !$0.isEmpty && (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\($0)")) == nil }
            .sorted()
    }

    @Test(arguments: [ExportLayout.byShot, .byCamera, .colmap, .realityCapture])
    func `An archive has the files of the folder, byte for byte`(layout: ExportLayout) async throws {
        _ = try await store(1, Samples.bytes(300_000), Samples.bytes(5))
        _ = try await store(2, Samples.bytes(70_000, seed: 7), [])
        let report = try await write([1, 2], layout)
        let expected = try await reader.export(
            [Samples.shotID(1), Samples.shotID(2)], as: layout, to: outside.path + "/set", linking: false)
        #expect(report == expected)
        let names = try extract()
        #expect(try names == files(outside.path + "/set"))
        for name in names {
            let pair = try ["set", "unpacked"].map { root in
                try Data(contentsOf: URL(filePath: "\(outside.path)/\(root)/\(name)"))
            }
            #expect(pair[0] == pair[1], "\(name)")
        }
    }

    @Test func `A file has the time of its shot`() async throws {
        let shot = try await store(1, [1], [2])
        try await write([1], .byCamera)
        let told = try ExternalTool.run(
            "python3", "-c",
            "import sys, zipfile; print({i.date_time for i in zipfile.ZipFile(sys.argv[1]).infolist()})", archive)
        let date = UTCDate(realtimeNanoseconds: shot.realtimeNanoseconds)
        let day = "\(date.year), \(date.month), \(date.day)"
        #expect(told.output == "{(\(day), \(date.hour), \(date.minute), \(date.second / 2 * 2))}\n")
    }

    @Test func `A still that is not that of its manifest is left out, and the archive says so`() async throws {
        _ = try await store(1, Samples.bytes(3000), Samples.bytes(5000))
        _ = try await store(2, Samples.bytes(100), Samples.bytes(9000))
        try Data(Samples.bytes(2999) + [0]).write(to: URL(filePath: photo(1)))
        try FileManager.default.removeItem(atPath: photo(2))
        let report = try await write([1, 2])
        #expect(report.files.map(\.outcome) == [.altered, .copied, .missing, .copied])
        let names = try extract()
        #expect(names.filter { $0.hasSuffix("photo.jpg") }.allSatisfy { $0.contains("south.cam1") })
        #expect(names.count == 5)
        for number: Int64 in 1...2 {
            let path = "\(outside.path)/unpacked/\(Samples.shotID(number))/shot.json"
            let told = try ShotManifest.decode(Array(try Data(contentsOf: URL(filePath: path))))
            #expect(told.status == .partial && told.captures.map(\.phase) == [.failed, .done])
        }
    }

    @Test func `An archive of nothing is refused, and one of which nothing is left says why`() async throws {
        try await library.write(Samples.shot(3))
        let problem = await #expect(throws: ExportError.self) { try await write([3]) }
        #expect(problem?.code == .conflict)
        _ = try await store(1, Samples.bytes(10), Samples.bytes(10))
        for device in ["north.cam1", "south.cam1"] {
            try Data().write(to: URL(filePath: "\(folder.path)/\(Samples.folder())/\(device)/photo.jpg"))
        }
        let report = try await write([1])
        #expect(report.isEmpty)
        #expect(try extract() == ["\(Samples.shotID())/shot.json", "export.json"].sorted())
    }

    /// A library whose files are zeros of any length, and whose north camera's file fails in a way.
    private struct Zeros: ShotLookup, AssetRangeReading {
        enum Flaw { case none, altered, short, long, unreadable }

        let shot: Shot
        let length: Int64
        let flaw: Flaw

        var location: String { "nowhere" }
        func shot(_ id: ShotID) -> Shot? { shot }
        func manifestBytes(of id: ShotID) -> [UInt8]? { nil }
        func annotation(of id: ShotID) -> ShotAnnotation { ShotAnnotation() }
        func byteCount(of key: FileKey) -> Int64? { length }

        func read(_ key: FileKey, at offset: Int64, count: Int) throws(StorageError) -> [UInt8] {
            let isFlawed = key.capture.device.description == "north/cam1"
            let length = !isFlawed ? length : flaw == .short ? length / 2 : flaw == .long ? length * 2 : length
            if isFlawed, flaw == .unreadable, offset > 0 {
                throw StorageError(.inputOutput, "read", key, "the disk does not answer")
            }
            var bytes = [UInt8](repeating: 0, count: Int(max(0, min(Int64(count), length - offset))))
            if isFlawed, flaw == .altered, !bytes.isEmpty { bytes[0] = 1 }
            return bytes
        }
    }

    private func zeros(_ length: Int64, _ flaw: Zeros.Flaw) throws -> Zeros {
        let content = [UInt8](repeating: 0, count: Int(length))
        let shot = try Samples.shot().storing(content, of: "north/cam1").storing(content, of: "south/cam1")
        return Zeros(shot: shot, length: length, flaw: flaw)
    }

    @Test(arguments: [ArchiveTarget.heldByteCount, ArchiveTarget.heldByteCount + 1])
    func `A file is whole on both sides of the length up to which files are held`(length: Int64) async throws {
        let report = try await write([1], .byCamera, from: zeros(length, .none))
        #expect(report.isComplete)
        _ = try extract()
        let path = "\(outside.path)/unpacked/north.cam1/\(Samples.shotID()).photo.jpg"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int64 == length)
    }

    @Test(arguments: [
        (Zeros.Flaw.altered, ExportedFile.Outcome.altered), (.short, .altered), (.long, .altered),
        (.unreadable, .unreadable),
    ])
    private func `A long file that fails on its way is not in the archive`(
        flaw: Zeros.Flaw, outcome: ExportedFile.Outcome
    ) async throws {
        let report = try await write([1], from: zeros(ArchiveTarget.heldByteCount + 5, flaw))
        #expect(report.files.map(\.outcome) == [outcome, .copied])
        let names = try extract()
        #expect(names.filter { $0.hasSuffix("photo.jpg") } == ["\(Samples.shotID())/south.cam1/photo.jpg"])
        let told = try String(contentsOfFile: "\(outside.path)/unpacked/\(Samples.shotID())/shot.json", encoding: .utf8)
        #expect(told.contains("it is not in this export"))
    }

    @Test(arguments: [-1, Int64.max])
    func `A manifest with a length that no file has is refused`(length: Int64) async throws {
        var shot = try zeros(10, .none).shot
        shot.captures[0].files[0].byteCount = length
        let problem = await #expect(throws: ExportError.self) {
            try await write([1], from: Zeros(shot: shot, length: 10, flaw: .none))
        }
        #expect(problem?.code == .corrupted)
    }

    @Test(.enabled(if: ExternalTool.isExpected("bsdtar")), arguments: [false, true])
    func `A program that reads no directory finds a wrong checksum in a file that is left out`(isLeftOut: Bool) throws {
        var zip = ZIPStream()
        let checksum = CRC32([1, 2, 3])
        var bytes = zip.begin("a", byteCount: 3, realtimeNanoseconds: 0, checksum: nil) + [1, 2, 3]
        zip.advance(by: 3)
        bytes += isLeftOut ? zip.abandon(checksum: checksum.value) : zip.end(checksum: checksum.value)
        bytes += zip.directory(endingAt: zip.shortestByteCount)
        #expect(Int64(bytes.count) == zip.shortestByteCount)
        try Data(bytes).write(to: URL(filePath: archive))
        let told = try ExternalTool.run("sh", "-c", "cat '\(archive)' | bsdtar -xOf - > /dev/null")
        #expect((told.status != 0) == isLeftOut, "\(told.output)")
    }

    @Test func `An archive ends where its reader does`() async throws {
        struct Gone: Error {}
        _ = try await store(1, Samples.bytes(100), Samples.bytes(100))
        let prepared = try await ShotExport(reader).archive([Samples.shotID()], as: .byShot)
        var count = 0
        let problem = await #expect(throws: ExportError.self) {
            _ = try await prepared.write { _ in
                count += 1
                if count == 2 { throw Gone() }
            }
        }
        #expect(problem?.code == .inputOutput && count == 2)
    }
}

/// The structure of archives that no test can write.
@Suite struct ZIPStreamTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private var path: String { folder.path + "/large.zip" }

    /// What Python's zipfile reads: names and sizes, and the content of files of less than 10 bytes.
    private func listed() throws -> String {
        let script = """
            import sys, zipfile
            z = zipfile.ZipFile(sys.argv[1])
            print([(i.filename, i.file_size, i.header_offset, z.read(i) if i.file_size < 10 else None) for i in z.infolist()])
            """
        return try ExternalTool.run("python3", "-c", script, path).output
    }

    @Test(arguments: [false, true])
    func `Files, positions and archives above 4 GiB are read by other programs`(isKnown: Bool) throws {
        let length: Int64 = 5 << 30
        var zip = ZIPStream()
        // The file itself is a hole.
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.write(
            contentsOf: zip.begin("long", byteCount: length, realtimeNanoseconds: 1, checksum: isKnown ? 0 : nil))
        try file.seek(toOffset: file.offset() + UInt64(length))
        zip.advance(by: length)
        try file.write(contentsOf: zip.end(checksum: 0))
        let offset = zip.byteCount
        let checksum = CRC32(Array("small".utf8))
        let header = zip.begin("small", byteCount: 5, realtimeNanoseconds: 1, checksum: checksum.value)
        try file.write(contentsOf: header + "small".utf8)
        zip.advance(by: 5)
        #expect(zip.end(checksum: checksum.value).isEmpty)
        let total = zip.shortestByteCount
        #expect(zip.filler(endingAt: total) == 0)
        try file.write(contentsOf: zip.directory(endingAt: total))
        #expect(try file.offset() == UInt64(total))
        try file.close()
        #expect(try listed() == "[('long', \(length), 0, None), ('small', 5, \(offset), b'small')]\n")
        for command in [["unzip", "-l"], ["bsdtar", "-tvf"]] where ExternalTool.isExpected(command[0]) {
            let told = try ExternalTool.run(command + [path])
            #expect(told.status == 0 && told.output.contains("\(length)"), "\(told.output)")
        }
    }

    @Test func `More files than 16 bits count are read by other programs`() throws {
        var zip = ZIPStream()
        var bytes: [UInt8] = []
        for number in 0..<65_536 {
            bytes += zip.begin("\(number)", byteCount: 0, realtimeNanoseconds: 1, checksum: 0)
            bytes += zip.end(checksum: 0)
        }
        bytes += zip.directory(endingAt: zip.shortestByteCount)
        try Data(bytes).write(to: URL(filePath: path))
        let told = try ExternalTool.run(
            "python3", "-c", "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))", path)
        #expect(told.output == "65536\n")
    }

    @Test func `Filler ends an archive at the length that was announced, on both sides of 4 GiB`() throws {
        let limit: Int64 = 0xFFFF_FFFF
        for length in stride(from: limit - 400, through: limit + 400, by: 1) {
            var zip = ZIPStream()
            _ = zip.begin("a", byteCount: 0, realtimeNanoseconds: 0, checksum: 0)
            _ = zip.end(checksum: 0)
            let filler = try #require(zip.filler(endingAt: length))
            zip.advance(by: filler)
            #expect(zip.byteCount + Int64(zip.directory(endingAt: length).count) == length)
        }
        var zip = ZIPStream()
        _ = zip.begin("a", byteCount: 0, realtimeNanoseconds: 0, checksum: 0)
        _ = zip.end(checksum: 0)
        #expect(zip.filler(endingAt: zip.shortestByteCount - 1) == nil)
    }

    @Test func `A checksum is that of zlib, however its bytes are cut`() {
        #expect(CRC32(Array("123456789".utf8)).value == 0xCBF4_3926, "the check value of the published algorithm")
        let bytes = Samples.bytes(1000)
        let expected = CRC32(bytes)
        for size in [1, 7, 8, 9, 63, 999] {
            var cut = CRC32()
            for start in stride(from: 0, to: bytes.count, by: size) {
                cut.update(bytes.span.extracting(start..<min(start + size, bytes.count)))
            }
            #expect(cut.value == expected.value)
        }
    }
}
