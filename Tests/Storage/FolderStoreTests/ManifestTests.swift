import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import Glibc
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@Suite struct ManifestTests {
    let folder: TemporaryFolder
    let disk = FaultyDisk()

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a journaled shot is found again, exact to the last bit`() async throws {
        var library: FolderStore? = try Samples.library(folder)
        var shot = try Samples.shot()
        shot.captures[0].problem = RigProblem(.noRecentFrame, "cam1 says \"nothing\" / öäü")
        shot.settledAt = RigTime(nanoseconds: .max)
        try await library?.write(shot)
        #expect(try await library?.shot(shot.id) == shot)
        library = nil
        #expect(try await Samples.library(folder).shot(shot.id) == shot)
        #expect(try FolderReader(folder: folder.path).shot(shot.id) == shot)
        #expect(try FolderReader(folder: folder.path).shot(Samples.shotID(2)) == nil)
    }

    @Test func `people find a shot by its date and read its time in the manifest`() async throws {
        let library = try Samples.library(folder)
        try await library.write(Samples.shot())
        #expect(try folder.names(Samples.folder()) == ["north.cam1", "shot.json", "south.cam1"])
        let text = String(decoding: try folder.read("\(Samples.folder())/shot.json"), as: UTF8.self)
        #expect(text.contains("\"time\" : 1000000250,\n  \"timeISO8601\" : \"2026-11-21T10:11:01.000000250Z\""))
        #expect(text.contains("\"schemaVersion\" : 2"))
        #expect(text.contains("\"coordinatorEpoch\" : \"ffffffffffffffff\""))
        #expect(await library.path(of: Samples.shotID()) == "\(folder.path)/\(Samples.folder())")
        #expect(await library.path(of: Samples.shotID(2)) == nil)
    }

    @Test func `an open shot resumes after a restart, a settled one does not`() async throws {
        var library: FolderStore? = try Samples.library(folder)
        for number in Int64(1)...4 {
            var shot = try Samples.shot(number, daysLater: number / 3)
            try await library?.write(shot)
            if number == 2 { shot.status = .partial }
            try await library?.write(shot)
        }
        library = nil
        let open = try await Samples.library(folder).openShots()
        #expect(open.shots.map(\.id) == [1, 3, 4].map { Samples.shotID($0) })
        #expect(open.damaged == [])
    }

    @Test func `shots are listed newest first, page by page`() async throws {
        let library = try Samples.library(folder)
        for number in Int64(1)...7 { try await library.write(Samples.shot(number, daysLater: number / 3)) }
        var seen: [ShotID] = []
        while true {
            let page = try await library.shots(limit: 2, before: seen.last).shots.map(\.id)
            if page.isEmpty { break }
            seen += page
        }
        #expect(seen == (1...7).reversed().map { Samples.shotID($0) })
        #expect(try await library.shots(limit: 0).shots.isEmpty)
        #expect(try await library.shots(limit: -1).shots.isEmpty)
        #expect(try await library.shots(limit: 5, before: Samples.shotID(99)).shots.isEmpty)
    }

    @Test(arguments: ["", "{", "[]", "{\"schemaVersion\" : 1}", "{\"schemaVersion\" : 2}", "\u{0}\u{0}"])
    func `a damaged manifest is named, and the other shots are listed`(_ text: String) async throws {
        let library = try Samples.library(folder)
        for number in Int64(1)...3 { try await library.write(Samples.shot(number)) }
        try folder.write(text, to: "\(Samples.folder(2))/shot.json")
        let listing = try await library.shots(limit: 10)
        #expect(listing.shots.map(\.id) == [Samples.shotID(3), Samples.shotID(1)])
        #expect(listing.damaged.map(\.location) == ["\(folder.path)/\(Samples.folder(2))/shot.json"])
        #expect(try await library.openShots().shots.count == 2)
        let error = await #expect(throws: StorageError.self) { try await library.shot(Samples.shotID(2)) }
        #expect(error?.description.contains("\(folder.path)/\(Samples.folder(2))/shot.json") == true)
    }

    @Test func `a manifest of another shot, or pictures without one, are damaged, not believed`() async throws {
        let library = try Samples.library(folder)
        for number in Int64(1)...2 { try await library.write(Samples.shot(number)) }
        let text = String(decoding: try folder.read("\(Samples.folder(1))/shot.json"), as: UTF8.self)
        try folder.write(text, to: "\(Samples.folder(2))/shot.json")
        try FileManager.default.removeItem(atPath: "\(folder.path)/\(Samples.folder(1))/shot.json")
        try folder.write("a picture", to: "\(Samples.folder(1))/north.cam1/photo.jpg")
        let listing = try await library.shots(limit: 10)
        #expect(listing.shots.isEmpty && listing.damaged.count == 2)
        #expect(try await library.openShots().damaged.count == 2)
        #expect(try folder.names("\(Samples.folder(1))/north.cam1") == ["photo.jpg"], "pictures are left alone")
    }

    @Test func `foreign files and links in a library are left alone and not followed`() async throws {
        let outside = try TemporaryFolder()
        try await Samples.library(outside).write(Samples.shot(1))
        let library = try Samples.library(folder)
        try await library.write(Samples.shot(2))
        try folder.write("mine", to: "notes.txt")
        try folder.write("mine", to: "2026/readme")
        try folder.write("mine", to: "2026/11/21/index.html")
        _ = unsafe symlink("\(outside.path)/\(Samples.folder(1))", "\(folder.path)/\(Samples.folder(1))")
        let listing = try await library.shots(limit: 10)
        #expect(listing.shots.map(\.id) == [Samples.shotID(2)])
        #expect(listing.damaged.count == 1)
    }

    /// Writing a manifest again: open, write, sync, rename, sync folder.
    @Test(arguments: 0..<5) func `a crash while journaling keeps the manifest before or the one after`(_ step: Int)
        async throws
    {
        var library: FolderStore? = try Samples.library(folder, disk: disk)
        let before = try Samples.shot()
        let after = try before.storing([1])
        try await library?.write(before)
        disk.fail(.crash(at: step))
        await #expect(throws: StorageError.self) { try await library?.write(after) }
        #expect(disk.steps.prefix(step + 1) == [.open, .write, .syncFile, .rename, .syncFolder].prefix(step + 1))
        library = nil
        let reopened = try Samples.library(folder)
        #expect(try await reopened.shot(before.id) == (step == 4 ? after : before))
        #expect(try await reopened.shots(limit: 10).damaged == [])
        try await reopened.write(after)
        #expect(try folder.names(Samples.folder()) == ["north.cam1", "shot.json", "south.cam1"])
    }

    @Test(arguments: 0..<5, [ENOSPC, EIO, EROFS])
    func `a manifest the disk did not take replaces the one before, or is never written again`(
        _ step: Int, _ code: CInt
    ) async throws {
        let library = try Samples.library(folder, disk: disk)
        let before = try Samples.shot()
        let after = try before.storing([1])
        try await library.write(before)
        disk.fail(.once(at: step, code: code))
        let problem = await #expect(throws: StorageError.self) { try await library.write(after) }
        #expect(problem?.code == (code == ENOSPC ? .noSpace : .inputOutput))
        let found = try await library.shot(before.id)
        // Its name may not be durable, but what is there is whole.
        #expect(found == (step == 4 ? after : before))
        disk.fail(nil)
        try await library.write(after)
        #expect(try await library.shot(before.id) == after)
        #expect(try folder.names(Samples.folder()) == ["north.cam1", "shot.json", "south.cam1"])
    }

    @Test func `a coordinator starts on a disk that is read-only, or does not say which`() throws {
        disk.fail(.every(.open, code: EROFS))
        let error = #expect(throws: PosixError.self) { try Samples.library(folder, disk: disk) }
        #expect(error?.description.contains(folder.path) == true && error?.description.contains("read-only") == true)
    }

    @Test func `a camera that delivered nothing leaves no empty folder in a settled shot`() async throws {
        let library = try Samples.library(folder)
        try await library.write(Samples.shot())
        try await library.collect(Samples.photo(), [1, 2])
        var shot = try Samples.shot().storing([1, 2])
        shot.status = .partial
        try await library.write(shot)
        #expect(try folder.names(Samples.folder()) == ["north.cam1", "shot.json"])
        try await library.collect(Samples.photo(device: "south/cam1"), [3])
        #expect(try folder.read("\(Samples.folder())/south.cam1/photo.jpg") == [3])
    }

    @Test func `a crash while journaling a first shot never leaves half a manifest`() async throws {
        disk.fail(nil)
        try await Samples.library(folder, disk: disk).write(Samples.shot())
        let steps = disk.steps.count
        for step in 0..<steps {
            let folder = try TemporaryFolder()
            disk.fail(.crash(at: step))
            await #expect(throws: (any Error).self) {
                try await Samples.library(folder, disk: disk).write(Samples.shot())
            }
            let library = try Samples.library(folder)
            let isThere = step == steps - 1
            let id = try Samples.shot().id
            #expect(try await (library.shot(id) != nil) == isThere, "the id of a shot that never began is free")
            let open = try await library.openShots()
            #expect(open.shots.count == (isThere ? 1 : 0) && open.damaged == [])
            #expect(await library.path(of: id) != nil || !isThere)
            #expect(isThere || (try? folder.names(Samples.folder())) == nil, "nothing is left of it")
            try await library.write(Samples.shot())
            #expect(try await library.openShots().shots.count == 1)
        }
    }

    @Test func `two coordinators do not write one library, and anybody may read it`() async throws {
        let library = try Samples.library(folder)
        try await library.write(Samples.shot())
        #expect(throws: FolderInUse.self) { try Samples.library(folder) }
        #expect(try await FolderReader(folder: folder.path).shots(limit: 10).shots.count == 1)
    }
}
