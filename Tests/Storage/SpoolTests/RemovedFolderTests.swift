import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport
import Testing

@testable import Spool

/// Folders of a spool that somebody removes while the agent runs, and disks that accept no file.
@Suite struct RemovedFolderTests {
    private let folder: TemporaryFolder
    private let bytes = Samples.bytes(3000)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: ["captures", "deferred", "recordings", "settings", "controls", "damaged"])
    func `a folder that was removed is made again, and the usage says which`(_ name: String) async throws {
        let spool = try Samples.spool(folder)
        #expect(await spool.usage().losses == [:])
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
        #expect(await spool.usage().losses == ["\(folder.path)/\(name)": 1])
        #expect(await spool.usage().problem == nil)
        #expect(try folder.names().contains(name))
    }

    @Test func `a capture is stored though its folder has just been removed`() async throws {
        let spool = try Samples.spool(folder)
        try FileManager.default.removeItem(atPath: folder.path + "/captures")
        try await spool.store(Samples.key(), bytes)
        #expect(try await spool.read(Samples.photo(), offset: 0, count: 3000) == bytes)
        #expect(try folder.names("captures").count == 2)
    }

    @Test func `a spool that was moved away is not made again, and accepts nothing until it is back`() async throws {
        let outer = try TemporaryFolder()
        let path = outer.path + "/spool"
        let spool = try Spool(
            folder: path, limitBytes: 1 << 20, reserveFreeBytes: 0, executor: try ThreadExecutor(name: "spool"))
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        let usage = await spool.usage()
        #expect(usage.problem?.contains("was removed, moved") == true && usage.availableBytes == 0)
        #expect(usage.shortage(of: 0) == usage.problem)
        await #expect(throws: SpoolError.self) { try await spool.store(Samples.key(), bytes) }
        #expect(try outer.names() == ["spool.moved"])
        try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
        #expect(await spool.usage().problem == nil)
        try await spool.store(Samples.key(), bytes)
    }

    @Test(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired))
    func `a disk without free inodes accepts no photo, and the reason says so`() async throws {
        let disk = try SmallDisk(kilobytes: 4096)
        func allowInodes(_ count: Int) throws {
            #expect(try ExternalTool.run("mount", "-o", "remount,nr_inodes=\(count)", disk.path).status == 0)
        }
        let spool = try Spool(
            folder: disk.path + "/spool", limitBytes: 1 << 20, reserveFreeBytes: 0,
            executor: try ThreadExecutor(name: "spool"))
        #expect(await spool.usage().shortage(of: 1000) == nil)
        try allowInodes(20)
        let shortage = await spool.usage().shortage(of: 1000)
        #expect(shortage?.contains("inodes are free") == true, "\(String(describing: shortage))")
        let problem = await #expect(throws: SpoolError.self) { _ = try await spool.reserve(byteCount: 1000) }
        #expect(problem?.code == .noSpace && problem?.description.contains("inodes are free") == true)
        try allowInodes(1000)
        _ = try await spool.reserve(byteCount: 1000)
    }
}
