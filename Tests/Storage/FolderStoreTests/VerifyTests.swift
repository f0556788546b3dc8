import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import Glibc
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@Suite struct VerifyTests {
    let folder: TemporaryFolder
    let library: FolderStore
    let bytes = [UInt8](repeating: 7, count: 3_000_000)
    let photo = "north.cam1/photo.jpg"

    init() async throws {
        folder = try TemporaryFolder()
        library = try Samples.library(folder)
        try await library.write(Samples.shot())
        try await library.collect(Samples.photo(), bytes)
        try await library.write(Samples.shot().storing(bytes))
    }

    private var file: String { "\(folder.path)/\(Samples.folder())/\(photo)" }

    private func states() async throws -> [String: VerifyFinding.State] {
        let findings = try await library.verify(Samples.shotID())
        return Dictionary(uniqueKeysWithValues: findings.map { ($0.path, $0.state) })
    }

    @Test func `an untouched shot is found in order`() async throws {
        #expect(try await states() == [photo: .ok])
        #expect(try await FolderReader(folder: folder.path).verify(Samples.shotID()).map(\.state) == [.ok])
    }

    @Test(arguments: [0, 1 << 20, 2_999_999]) func `one altered byte is found`(_ index: Int) async throws {
        var altered = bytes
        altered[index] ^= 1
        try Data(altered).write(to: URL(filePath: file))
        #expect(try await states() == [photo: .altered])
    }

    @Test func `a shortened, a removed and a replaced file are found`() async throws {
        try Data(bytes.dropLast()).write(to: URL(filePath: file))
        #expect(try await states() == [photo: .altered])
        try FileManager.default.removeItem(atPath: file)
        #expect(try await states() == [photo: .missing])
        _ = unsafe symlink("/etc/hostname", file)
        #expect(try await states() == [photo: .unreadable])
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(Samples.folder())/north.cam1")
        #expect(try await states() == [photo: .missing])
    }

    @Test func `what the manifest does not know is told as stray`() async throws {
        try await library.collect(Samples.photo(device: "south/cam1"), [1, 2, 3])
        try folder.write("x", to: "\(Samples.folder())/notes.txt")
        try folder.write("x", to: "\(Samples.folder())/north.cam1/extra.jpg")
        #expect(
            try await states() == [
                photo: .ok, "south.cam1/photo.jpg": .stray, "notes.txt": .stray, "north.cam1/extra.jpg": .stray,
            ])
    }

    @Test func `what belongs to no shot is passed over`() async throws {
        #expect(try await library.unclaimed() == [])
        _ = try await library.beginReceiving(
            Samples.photo(device: "south/cam1"), byteCount: 3, digest: try Samples.digest([9, 9, 9]))
        _ = try await library.receive(Samples.photo(device: "south/cam1"), offset: 0, bytes: [1, 2, 3])
        await #expect(throws: StorageError.self) { try await library.finish(Samples.photo(device: "south/cam1")) }
        for path in ["notes.txt", "2026/notes.txt", "2026/11/notes.txt", "2026/11/21/notes.txt", "2026/11/21/.hidden"] {
            try folder.write("x", to: path)
        }
        let found = try await library.unclaimed()
        #expect(found.map(\.state) == [.quarantined, .stray, .stray, .stray])
        #expect(found.first?.path.hasPrefix(".quarantine/\(Samples.shotID()).south.cam1.photo.jpg.") == true)
        #expect(found.dropFirst().map(\.path) == ["2026/11/21/notes.txt", "2026/11/notes.txt", "2026/notes.txt"])
    }

    @Test func `a shot that is not there is an error, not an empty answer`() async throws {
        let problem = await #expect(throws: StorageError.self) { try await library.verify(Samples.shotID(2)) }
        #expect(problem?.code == .notFound)
    }

    @Test func `a large shot being verified does not hold up the storing of another`() async throws {
        let (reading, begun) = AsyncStream.makeStream(of: Void.self)
        let goOn = try EventFlag()
        let other = try TemporaryFolder()
        let library = try FolderStore(
            folder: other.path,
            fault: { step, path in
                guard step == .read, path.hasSuffix("photo.jpg") else { return nil }
                begun.yield()
                // A minute at most, so that a failing test ends; then the verification was no longer waiting.
                return goOn.wait(timeoutMilliseconds: 300_000) ? nil : EIO
            })
        try await library.write(Samples.shot())
        try await library.collect(Samples.photo(), bytes)
        try await library.write(Samples.shot().storing(bytes))
        async let findings = library.verify(Samples.shotID())
        for await _ in reading { break }
        try await library.write(Samples.shot(2))
        goOn.signal()
        #expect(try await findings.map(\.state) == [.ok])
    }
}
