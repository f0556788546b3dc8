import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@testable import FolderStore

/// Deleting a shot from a folder, whatever becomes of the process or the disk in between.
@Suite struct DeletionTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()
    private let bytes = Samples.bytes(2500)

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A library with a settled shot of one photo.
    private func library() async throws -> (FolderStore, Shot) {
        let library = try Samples.library(folder, disk: disk)
        try await library.write(Samples.shot())
        try await library.collect(Samples.photo(), bytes)
        var shot = try Samples.shot().storing(bytes)
        shot.status = .partial
        try await library.write(shot)
        _ = try await library.annotate(shot.id, ShotAnnotationEdit(title: "Gipfel"))
        return (library, shot)
    }

    private func deletion(of shot: Shot) -> ShotDeletion {
        ShotDeletion(of: shot, at: 1_795_260_000_000_000_000, by: .coordinator, .age, wasOnlyCopy: false)
    }

    /// What is in the folder of deletions under way, which the first step makes.
    private func deleting() throws -> [String] {
        FileManager.default.fileExists(atPath: folder.path + "/.deleting") ? try folder.names(".deleting") : []
    }

    /// The whole shot is in its place, with its photo and its title.
    private func isWhole(_ shot: Shot) throws -> Bool {
        let reader = try FolderReader(folder: folder.path)
        return try reader.shot(shot.id) == shot && reader.content(of: Samples.photo()) == Samples.content(bytes)
            && reader.annotation(of: shot.id).title == "Gipfel" && reader.deletion(of: shot.id) == nil
    }

    /// Nothing lists or reads the shot.
    private func isGone(_ shot: Shot) throws -> Bool {
        let reader = try FolderReader(folder: folder.path)
        return try reader.shot(shot.id) == nil && reader.day(of: shot.id) == nil
            && reader.list("2026/11/21", after: nil, limit: 9).isEmpty
            && reader.byteCount(of: Samples.photo()) == nil && reader.deletion(of: shot.id) == deletion(of: shot)
    }

    @Test func `Keeps nothing of a deleted shot but the record of its deletion`() async throws {
        let (library, shot) = try await library()
        try await library.manifests.delete(deletion(of: shot))
        #expect(try isGone(shot))
        #expect(try folder.names(".deleting") == [])
        #expect(try folder.names(".deleted/2026/11/21") == ["\(shot.id).json"])
        #expect(try folder.names("2026/11/21") == [])
        #expect(await library.path(of: shot.id) == nil)
    }

    @Test func `A process that ends at any step leaves the whole shot or none, and the next one finishes`() async throws
    {
        var step = 0
        var outcomes: Set<String> = []
        while true {
            let stage = try DeletionTests()
            var (library, shot): (FolderStore?, Shot) = try await stage.library()
            stage.disk.fail(.crash(at: step))
            let isDone = (try? await library?.manifests.delete(deletion(of: shot))) != nil
            library = nil
            let isWhole = try stage.isWhole(shot)
            #expect(try isWhole != stage.isGone(shot), "step \(step)")
            let next = try Samples.library(stage.folder)
            let finished = await next.manifests.finishDeletions()
            if try stage.isWhole(shot) {
                #expect(isWhole && finished.isEmpty, "step \(step): forgotten")
                outcomes.insert("forgotten")
            } else {
                #expect(try stage.isGone(shot), "step \(step)")
                let outcome = try finished[shot.id]?.get()
                // Nothing is left to do where the process ended after the record was filed.
                #expect(outcome == nil || outcome == deletion(of: shot), "step \(step)")
                outcomes.insert(isWhole ? "carried out" : "finished")
            }
            #expect(try stage.deleting().filter { !$0.hasPrefix(".") }.isEmpty, "step \(step)")
            #expect(await next.manifests.finishDeletions().isEmpty, "step \(step)")
            if isDone { break }
            step += 1
        }
        #expect(outcomes == ["forgotten", "carried out", "finished"] && step > 8, "\(step) steps")
    }

    @Test func `A disk that refuses one step leaves the whole shot, or a deletion that the next attempt finishes`()
        async throws
    {
        var step = 0
        while true {
            let stage = try DeletionTests()
            let (library, shot) = try await stage.library()
            stage.disk.fail(.once(at: step, code: EIO))
            let isDone = (try? await library.manifests.delete(deletion(of: shot))) != nil
            stage.disk.fail(nil)
            #expect(try stage.isWhole(shot) != stage.isGone(shot), "step \(step)")
            try await library.manifests.delete(deletion(of: shot))
            #expect(try stage.isGone(shot), "step \(step)")
            #expect(try stage.folder.names(".deleting").isEmpty, "step \(step)")
            if isDone, step > 8 { break }
            step += 1
            try #require(step < 100)
        }
    }

    @Test func `A file that arrives while its shot is deleted does not bring the shot back`() async throws {
        let (library, shot) = try await library()
        let late = try Samples.photo(device: "south/cam1")
        _ = try await library.assets.begin(late, Samples.content([1, 2, 3]))
        try await library.assets.append([1, 2, 3], to: late, at: 0)
        try await library.manifests.delete(deletion(of: shot))
        await #expect(throws: StorageError.self) { try await library.assets.commit(late) }
        #expect(try isGone(shot))
        #expect(try folder.names("2026/11/21") == [])
    }

    @Test func `A shot that somebody has put back is a shot again, and can be deleted again`() async throws {
        let (library, shot) = try await library()
        let copy = folder.path + "/copy"
        try FileManager.default.copyItem(atPath: folder.path + "/" + Samples.folder(), toPath: copy)
        try await library.manifests.delete(deletion(of: shot))
        try FileManager.default.moveItem(atPath: copy, toPath: folder.path + "/" + Samples.folder())
        #expect(try isWhole(shot))
        try await library.manifests.delete(deletion(of: shot))
        #expect(try isGone(shot))
    }

    @Test func `A damaged record hides no shot, and is named`() async throws {
        let (library, shot) = try await library()
        try FileManager.default.createDirectory(
            atPath: folder.path + "/.deleting", withIntermediateDirectories: false)
        try folder.write("{", to: ".deleting/\(shot.id).json")
        try folder.write("{", to: ".deleting/\(Samples.shotID(2)).json.tmp")
        let outcomes = await library.manifests.finishDeletions()
        #expect(outcomes.count == 1)
        #expect(throws: StorageError.self) { try outcomes[shot.id]?.get() }
        #expect(try await library.shot(shot.id) == shot)
        #expect(try folder.names(".deleting") == ["\(shot.id).json"])
    }
}

/// Another folder with the layout of a library.
@Suite struct FolderCopiesTests {
    private let folder: TemporaryFolder
    private let archive: TemporaryFolder
    private let bytes = Samples.bytes(2500)

    init() throws {
        (folder, archive) = (try TemporaryFolder(), try TemporaryFolder())
    }

    private func library() async throws -> Shot {
        let library = try Samples.library(folder)
        try await library.write(Samples.shot())
        try await library.collect(Samples.photo(), bytes)
        var shot = try Samples.shot().storing(bytes)
        shot.status = .partial
        try await library.write(shot)
        return shot
    }

    private func copies(in path: String) throws -> FolderCopies {
        try FolderCopies(of: try FolderReader(folder: folder.path), in: path)
    }

    private func copy() throws {
        try FileManager.default.removeItem(atPath: archive.path)
        try FileManager.default.copyItem(atPath: folder.path, toPath: archive.path)
    }

    private var photo: String { "\(archive.path)/\(Samples.folder())/north.cam1/photo.jpg" }

    @Test func `A copy is complete if it has every stored file with its bytes`() async throws {
        let shot = try await library()
        try copy()
        #expect(try await copies(in: archive.path).shortfall(of: shot) == nil)
    }

    @Test func `Says what a copy lacks`() async throws {
        let shot = try await library()
        let copies = try copies(in: archive.path)
        #expect(await copies.shortfall(of: shot)?.contains("has no copy") == true)
        try copy()
        try Data(Samples.bytes(2500, seed: 7)).write(to: URL(filePath: photo))
        #expect(await copies.shortfall(of: shot)?.contains("other bytes") == true)
        try Data([1]).write(to: URL(filePath: photo))
        #expect(await copies.shortfall(of: shot)?.contains("1 bytes instead of 2500") == true)
        try FileManager.default.removeItem(atPath: photo)
        #expect(await copies.shortfall(of: shot)?.contains("lacks") == true)
        try copy()
        try FileManager.default.removeItem(atPath: "\(archive.path)/\(Samples.folder())/shot.json")
        #expect(await copies.shortfall(of: shot) != nil)
        try FileManager.default.removeItem(atPath: archive.path)
        #expect(await copies.shortfall(of: shot)?.contains("cannot be read") == true, "not mounted")
    }

    @Test func `The library under another name is not a copy of it`() async throws {
        let shot = try await library()
        try FileManager.default.removeItem(atPath: archive.path)
        try FileManager.default.createSymbolicLink(atPath: archive.path, withDestinationPath: folder.path)
        #expect(try await copies(in: archive.path).shortfall(of: shot)?.contains("is the library itself") == true)
        #expect(try await copies(in: folder.path).shortfall(of: shot)?.contains("is the library itself") == true)
    }
}
