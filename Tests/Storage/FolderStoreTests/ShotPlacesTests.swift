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
        for shot in shots { try await library?.journal(shot) }
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
        try await library.journal(shot)
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
        try await library.journal(shot)
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
