import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import Glibc
import PosixSupport
import StorageConformance
import StorageKit
import Testing

/// Libraries on file systems that lack something, on disks that accept no file, and with folders that somebody removes.
@Suite struct UnsuitableDiskTests {
    private let folder: TemporaryFolder
    private let bytes = Samples.bytes(2500)
    private let path = "north.cam1/photo.jpg"

    init() throws {
        folder = try TemporaryFolder()
    }

    private func stored() throws -> [UInt8] { try folder.read("\(Samples.folder())/\(path)") }

    private func refusing(_ codes: [FileStep: CInt]) throws -> FolderStore {
        try FolderStore(folder: folder.path) { step, _ in codes[step] }
    }

    @Test(arguments: [[.rename: EINVAL], [.rename: EINVAL, .link: EPERM]] as [[FileStep: CInt]])
    func `a file is stored where the file system knows no rename without replacing`(_ codes: [FileStep: CInt])
        async throws
    {
        // A rename that replaces is known everywhere.
        let library = try FolderStore(folder: folder.path) { step, path in
            path.hasSuffix(".json.tmp") ? nil : codes[step]
        }
        try await library.write(Samples.shot())
        #expect(try await library.collect(Samples.photo(), bytes) == path)
        #expect(try stored() == bytes)
        #expect(try folder.names(".incoming") == [])
        // What is there already is not replaced, and was meant to be there.
        #expect(try await library.collect(Samples.photo(), bytes) == path)
    }

    @Test func `a library that cannot work does not open, and the error names the setting`() throws {
        let error = #expect(throws: UnsuitableFileSystem.self) { _ = try refusing([.tryPublishing: EINVAL]) }
        #expect(error?.description.contains("library.folder") == true)
    }

    @Test func `a file is received though its folder was removed in between, and the library says so`()
        async throws
    {
        let library = try Samples.library(folder)
        try await library.write(Samples.shot())
        let digest = try Samples.digest(bytes)
        #expect(await library.manifests.mishap() == nil)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: Array(bytes[..<1000]))
        try FileManager.default.removeItem(atPath: folder.path + "/.incoming")

        #expect(try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest) == 0)
        try await library.receive(Samples.photo(), offset: 0, bytes: bytes)
        #expect(try await library.finish(Samples.photo()) == path)
        #expect(try stored() == bytes)
        #expect(await library.manifests.mishap()?.contains(folder.path + "/.incoming was removed") == true)
        #expect(try await library.collect(Samples.photo(device: "south/cam1"), bytes) == "south.cam1/photo.jpg")
    }

    @Test func `only the part that was removed is received from the start`() async throws {
        let library = try Samples.library(folder)
        try await library.write(Samples.shot())
        let digest = try Samples.digest(bytes)
        _ = try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest)
        try await library.receive(Samples.photo(), offset: 0, bytes: Array(bytes[..<1000]))
        for name in try folder.names(".incoming") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/.incoming/\(name)")
        }
        #expect(try await library.beginReceiving(Samples.photo(), byteCount: 2500, digest: digest) == 0)
        #expect(await library.manifests.mishap() == nil)
        #expect(try await library.collect(Samples.photo(), bytes) == path)
    }

    @Test(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired))
    func `a disk without free inodes admits no shot, and the reason says so`() async throws {
        let disk = try SmallDisk(kilobytes: 4096)
        func allowInodes(_ count: Int) throws {
            #expect(try ExternalTool.run("mount", "-o", "remount,nr_inodes=\(count)", disk.path).status == 0)
        }
        let library = try FolderStore(folder: disk.path + "/library")
        try await library.library.checkAdmission()
        try allowInodes(40)
        let problem = await #expect(throws: StorageError.self) { try await library.library.checkAdmission() }
        #expect(problem?.code == .noSpace)
        #expect(problem?.description.contains("inodes are free") == true, "\(String(describing: problem))")
        try allowInodes(1000)
        try await library.library.checkAdmission()
    }
}
