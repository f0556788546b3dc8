import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport
import StorageConformance
import StorageKit
import Testing

@testable import FolderStore

/// Where shots lie is known without an entry for each.
struct ShotPlacesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func remembered() throws -> ShotPlaces {
        try ShotPlaces(of: FolderReader(folder: folder.path))
    }

    @Test func `a shot on the day of its id takes no memory, another one is found nevertheless`() async throws {
        var library: FolderStore? = try Samples.library(folder)
        let shots = try (1...8).map { try Samples.shot($0, daysLater: $0 == 8 ? 3 : 0) }
        for shot in shots { try await library?.write(shot) }
        for _ in 0..<2 {
            for shot in shots { #expect(try await library?.shot(shot.id) == shot) }
            #expect(await library?.path(of: shots[0].id) == "\(folder.path)/2026/11/21/\(shots[0].id)")
            #expect(await library?.path(of: shots[7].id) == "\(folder.path)/2026/11/24/\(shots[7].id)")
            #expect(try remembered().count == 1)
            library = nil
            library = try Samples.library(folder)
        }
    }

    @Test func `an id of a time that has no date in 64 bits, and a day that does not exist, do no harm`() async throws {
        let library = try Samples.library(folder)
        let last = try #require(ShotID("ffffffff-ffff-7fff-bfff-ffffffffffff"))
        var shot = try Samples.shot()
        shot.id = last
        #expect(await library.path(of: last) == nil)
        try await library.write(shot)
        #expect(try await library.shot(last) == shot)
        let strange = Samples.shotID(2)
        let day = try Folder.make(folder.path).makeFolder("2026").makeFolder("13").makeFolder("45")
        _ = try day.makeFolder("\(strange)")
        #expect(try remembered().count == 2)
        #expect(try remembered().day(of: strange) == ["2026", "13", "45"])
    }

    @Test func `a shot that somebody has removed is not there, one that the disk does not show may be`() async throws {
        let disk = FaultyDisk()
        let library = try Samples.library(folder, disk: disk)
        let shot = try Samples.shot()
        try await library.write(shot)
        disk.fail(.every(.open, code: EIO))
        #expect(await library.path(of: shot.id) != nil)
        await #expect(throws: StorageError.self) { try await library.shot(shot.id) }
        disk.fail(nil)
        try FileManager.default.removeItem(atPath: "\(folder.path)/2026")
        #expect(await library.path(of: shot.id) == nil)
        #expect(try await library.shot(shot.id) == nil)
        await #expect(throws: StorageError.self) { try await library.collect(Samples.photo(), [1]) }
    }
}

@Suite(.timeLimit(.minutes(10))) struct FolderConformanceTests {
    @Test(arguments: StoreCheck.allCases) func `a folder keeps the promises of a store`(_ check: StoreCheck)
        async throws
    {
        let suite = StorageConformance {
            let folder = try TemporaryFolder()
            return {
                let store = try FolderStore(folder: folder.path)
                return OpenStore(shots: store.manifests, annotations: store.notes, assets: store.assets)
            }
        }
        try await suite.run(check)
    }
}

@Suite(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired, "needs the right to mount a small file system"))
struct FullDiskTests {
    let disk: SmallDisk

    init() throws {
        disk = try SmallDisk()
    }

    @Test func `a full disk is an outcome, and the transfer goes on once there is space`() async throws {
        let library = try Samples.library(disk.folder)
        try await library.write(Samples.shot())
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
        await expectNoSpace { try await library.write(Samples.shot(2)) }
        #expect(try await library.shots(limit: 10).shots.map(\.id) == [Samples.shotID(1)])

        try other.setByteCount(0)
        try await library.write(Samples.shot(2))
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
