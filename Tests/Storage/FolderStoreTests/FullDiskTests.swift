import CaptureModel
import CaptureTestSupport
import FolderStore
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@Suite(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired, "needs the right to mount a small file system"))
struct FullDiskTests {
    let disk: SmallDisk

    init() throws {
        disk = try SmallDisk()
    }

    @Test func `a full disk is an outcome, and the transfer goes on once there is space`() async throws {
        let library = try Samples.library(disk.folder)
        try await library.journal(Samples.shot())
        let bytes = Samples.bytes(300_000)
        let digest = try Samples.digest(bytes)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 300_000, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: Array(bytes[..<100_000]))
        // Somebody else fills the disk in the middle of the transfer.
        let other = try Folder(opening: disk.path).open("other", for: .writing)
        while (try? other.write([UInt8](repeating: 1, count: 4096))) != nil {}

        await expectNoSpace {
            _ = try await library.receive(Samples.photo(), offset: 100_000, bytes: Array(bytes[100_000...]))
        }
        await expectNoSpace {
            _ = try await library.beginReceiving(Samples.photo(), byteCount: 300_000, digest: digest)
        }
        await expectNoSpace { try await library.journal(Samples.shot(2)) }
        #expect(try await library.shots(limit: 10).shots.map(\.id) == [Samples.shotID(1)])

        try other.setByteCount(0)
        try await library.journal(Samples.shot(2))
        try await library.collect(Samples.photo(), bytes)
        #expect(try disk.folder.read("\(Samples.folder())/north.cam1/photo.jpg") == bytes)
    }

    private func expectNoSpace(_ work: () async throws -> Void) async {
        let problem = await #expect(throws: StorageError.self) { try await work() }
        #expect(problem?.code == .noSpace)
        #expect(problem?.description.contains(disk.path) == true)
        #expect(problem?.description.contains("free") == true)
    }
}
