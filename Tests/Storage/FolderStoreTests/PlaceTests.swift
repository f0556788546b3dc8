import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import PosixSupport
import StorageConformance
import StorageKit
import Testing

/// A library that is moved or replaced while it is open.
@Suite struct PlaceTests {
    private let folder: TemporaryFolder
    private let bytes = Samples.bytes(2500)
    private var path: String { folder.path + "/library" }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func opened(at path: String? = nil) throws -> FolderStore {
        try FolderStore(folder: path ?? self.path)
    }

    private func rename(_ old: String, to new: String) throws {
        try FileManager.default.moveItem(atPath: old, toPath: new)
    }

    private func problem(_ work: () async throws -> Void) async -> StorageError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? StorageError
        }
    }

    @Test func `nothing counts as durable in a library that was moved, and all of it when it is back`() async throws {
        let library = try opened()
        var shot = try Samples.shot()
        try await library.write(shot)
        let (key, digest) = (try Samples.photo(), try Samples.digest(bytes))
        _ = try await library.beginReceiving(key, byteCount: 2500, digest: digest)
        try await library.receive(key, offset: 0, bytes: bytes)
        try await library.checkPlace()

        try rename(path, to: path + ".moved")
        shot.revision = 1
        let revised = shot
        for problem in [
            await problem { try await library.checkPlace() }, await problem { try await library.write(revised) },
            await problem { _ = try await library.finish(key) }, await problem { try await library.confirm(revised) },
        ] {
            #expect(problem?.code == .inputOutput)
            #expect(problem?.description.contains("\(path) was moved") == true, "\(String(describing: problem))")
        }

        try rename(path + ".moved", to: path)
        #expect(try await library.beginReceiving(key, byteCount: 2500, digest: digest) == 2500)
        #expect(try await library.finish(key) == "north.cam1/photo.jpg")
        try await library.write(shot)
        #expect(try FolderReader(folder: path).shot(shot.id) == shot)
    }

    @Test func `another folder at its path is not the library`() async throws {
        let library = try opened()
        try rename(path, to: path + ".moved")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        let problem = await problem { try await library.checkPlace() }
        #expect(problem?.description.contains("there is another folder at this path") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty, "nothing is written into it")
    }

    @Test func `a symbolic link that somebody configured is followed each time`() async throws {
        let link = folder.path + "/link"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let library = try opened(at: link)
        try await library.checkPlace()
        try FileManager.default.removeItem(atPath: link)
        #expect(await problem { try await library.checkPlace() }?.code == .inputOutput)
    }

    @Test func `a stored file that is gone is named`() async throws {
        let library = try opened()
        var shot = try Samples.shot()
        try await library.write(shot)
        let stored = try await library.collect(Samples.photo(), bytes)
        let index = try #require(shot.captures.firstIndex { $0.device.id.node.rawValue == "north" })
        shot.captures[index].files[0].outcome = .done
        let whole = shot
        #expect(await problem { try await library.confirm(whole) } == nil)
        let file = "\(path)/\(Samples.folder())/\(stored)"
        try FileManager.default.removeItem(atPath: file)
        let problem = await problem { try await library.confirm(whole) }
        #expect(problem?.code == .inputOutput && problem?.description.contains(file) == true)
    }
}
