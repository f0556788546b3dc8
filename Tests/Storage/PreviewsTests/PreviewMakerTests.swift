import CaptureModel
import CaptureTestSupport
import DNG
import FolderStore
import Foundation
import ImageMetadata
import Movies
import PosixSupport
import StorageKit
import Testing

@testable import Previews

@Suite struct PreviewMakerTests {
    @Test("Makes a thumbnail of each stored photo, and keeps it out of verifying and exporting")
    func besideTheAsset() async throws {
        let stage = try StoredShot()
        let shot = try await stage.store([.photo: Pictures.jpeg(1280, 720), .photo2: Pictures.jpeg(640, 480)])
        let result = try await rebuild(stage)
        #expect(result == .init(made: 2))
        let pictures = ["photo.2.preview.jpg", "photo.2.thumbnail.jpg", "photo.preview.jpg", "photo.thumbnail.jpg"]
        #expect(try stage.names() == pictures)
        #expect(try Pictures.decoded(stage.bytes("photo.thumbnail.jpg")).width == 256)
        let verification = ShotVerification(shots: try stage.reader(), assets: try stage.reader())
        #expect(try await verification.findings(of: shot.id).map(\.state) == [.ok, .ok])
        #expect(try await verification.unclaimed() == [])
        #expect(try await rebuild(stage) == .init())
    }

    @Test("Makes deleted or lost small pictures again")
    func rebuilt() async throws {
        let stage = try StoredShot()
        try await stage.store([.photo: Pictures.jpeg(640, 480)])
        #expect(try await rebuild(stage).made == 1)
        try FileManager.default.removeItem(atPath: stage.folder.path + "/.previews/2026")
        #expect(try await rebuild(stage).made == 1)
        // An empty name is what a file system may leave of a file that was never synced.
        _ = try stage.folder.write([], as: stage.tree() + "/photo.preview.jpg")
        #expect(try await rebuild(stage, fromNothing: true).made == 1)
        #expect(try Pictures.decoded(stage.bytes("photo.preview.jpg")).width == 640)
    }

    @Test("Gives up a photo that cannot be decoded, and goes on with the others")
    func triedOnce() async throws {
        let stage = try StoredShot()
        try await stage.store([.photo: Array("no picture".utf8), .photo2: Pictures.jpeg(640, 480)])
        let first = try await rebuild(stage)
        #expect(first.made == 1 && first.problems.map(\.key.kind) == [.photo])
        #expect(try stage.names() == ["photo.2.preview.jpg", "photo.2.thumbnail.jpg", "photo.problem.txt"])
        #expect(try String(decoding: stage.bytes("photo.problem.txt"), as: UTF8.self).contains("header"))
        #expect(try await rebuild(stage) == .init())
        #expect(try await rebuild(stage, fromNothing: true).problems.count == 1)
    }

    @Test("Makes a thumbnail of a raw file without a photo, and of a take")
    func otherKinds() async throws {
        let stage = try StoredShot()
        let mosaic = try RawMosaic(
            unpacking: [UInt8](repeating: 90, count: 96 * 64).span, packing: .bytes, width: 96, height: 64, bits: 8,
            order: .rggb)
        let writer = DNGWriter(description: EXIFDescription(), color: RawColor(whiteLevel: 255))
        let dng = try Array(writer.file(mosaic, preview: Pictures.jpeg(48, 32)).pieces.joined())
        try await stage.store([.alternatePhoto: dng], 1)
        try await stage.store([.movie(.first): try movie(), .frames(.first): Array("{}\n".utf8)], 2)
        try await stage.store([.photo: Pictures.jpeg(640, 480), .alternatePhoto: dng], 3)
        #expect(try await rebuild(stage) == .init(made: 3))
        #expect(try stage.names(1) == ["alternatePhoto.preview.jpg", "alternatePhoto.thumbnail.jpg"])
        #expect(try Pictures.decoded(stage.bytes("alternatePhoto.thumbnail.jpg", 1)).width == 32)
        // Of the first frame, not of a later one.
        let first = try Pictures.decoded(stage.bytes("movie.thumbnail.jpg", 2))
        #expect(first.width == 64 && first.pixels[64 * 32 + 32] > 210)
        #expect(try stage.names(3) == ["photo.preview.jpg", "photo.thumbnail.jpg"])
    }

    @Test("Says of a raw file without a picture that it has none")
    func rawWithoutPicture() async throws {
        let stage = try StoredShot()
        let mosaic = try RawMosaic(
            unpacking: [UInt8](repeating: 90, count: 96 * 64).span, packing: .bytes, width: 96, height: 64, bits: 8,
            order: .rggb)
        let writer = DNGWriter(description: EXIFDescription(), color: RawColor(whiteLevel: 255))
        let file = try writer.file(mosaic, preview: nil)
        // Of samples that are compressed as JPEG too.
        #expect(file.compression == .losslessJPEG)
        try await stage.store([.alternatePhoto: Array(file.pieces.joined())], 1)
        #expect(try await rebuild(stage).problems.count == 1)
        #expect(try stage.names(1) == ["alternatePhoto.problem.txt"])
        let problem = try String(decoding: stage.bytes("alternatePhoto.problem.txt", 1), as: UTF8.self)
        #expect(problem.contains("has no JPEG in its first directory"))
    }

    @Test("Removes small pictures when their shot is deleted")
    func pruned() async throws {
        let stage = try StoredShot()
        for number in 1...2 as ClosedRange<Int64> {
            try await stage.store([.photo: Pictures.jpeg(640, 480)], number)
        }
        #expect(try await rebuild(stage).made == 2)
        try FileManager.default.removeItem(atPath: "\(stage.folder.path)/2026/11/21/\(StoredShot.id(1))")
        #expect(try await rebuild(stage) == .init())
        #expect(try stage.folder.names(".previews/2026/11/21") == [StoredShot.id(2).description])
        try FileManager.default.removeItem(atPath: "\(stage.folder.path)/2026")
        #expect(try await rebuild(stage) == .init())
        #expect(try stage.folder.names(".previews") == [".lock"])
    }

    @Test("Makes thumbnails of shots stored before and while the coordinator runs", .timeLimit(.minutes(10)))
    func whileRunning() async throws {
        let stage = try StoredShot()
        try await stage.store([.photo: Pictures.jpeg(640, 480)], 1)
        let news = Observed<[PreviewNotice]>([])
        let maker = try PreviewMaker(stage.reader(), folder: stage.folder.path, clock: ManualTimeSource()) { item in
            news.change { $0.append(item) }
        }
        let task = Task { await maker.run() }
        await news.wait { $0.count == 1 }
        let shot = try await stage.store([.photo: Pictures.jpeg(640, 480)], 2)
        maker.note(shot)
        await news.wait { $0.count == 2 }
        // The stamp that says so may come a moment later; the pictures are there.
        #expect(try stage.names(2) == ["photo.preview.jpg", "photo.thumbnail.jpg"])
        await #expect(throws: StorageError.self) { try await rebuild(stage) }
        task.cancel()
        await task.value
        #expect(maker.counters.made == 2 && maker.counters.unreadable == 0 && maker.counters.failures == 0)
        #expect(try await rebuild(stage) == .init())
    }

    @discardableResult
    private func rebuild(_ stage: StoredShot, fromNothing: Bool = false) async throws -> PreviewRebuilding.Result {
        try await PreviewRebuilding(stage.reader(), folder: stage.folder.path).run(fromNothing: fromNothing)
    }

    private func movie() throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let frames = try [220, 20].enumerated().map { index, gray in
            LivePhotoClip.Frame(
                jpeg: try Pictures.jpeg(96, 64, middle: UInt8(gray)), presentationTime: Int64(index) * 3000)
        }
        _ = try LivePhotoClip(
            frames: frames, stillIndex: 1, contentIdentifier: "7C3E9F0E-3D6C-4A2B-8F50-019A2C5E7B5A",
            creationDate: EXIFTimestamp(realtimeNanoseconds: 0, utcOffsetMinutes: 0)
        ).write(to: Folder(opening: folder.path), as: "movie.mov")
        return try folder.read("movie.mov")
    }
}

@Suite struct PreviewQueueTests {
    @Test("Makes small pictures of the newest shot before those of older ones")
    func newestFirst() {
        var queue = PreviewQueue()
        #expect(queue.next() == .list)
        queue.listed(["2026/11/20", "2026/11/21"])
        #expect(queue.next() == .compare(day: "2026/11/21"))
        queue.compared([place(1), place(2)])
        #expect(queue.next() == .make(place(2)))
        queue.note(place(7))
        queue.note(place(8))
        queue.note(place(7))
        #expect([queue.next(), queue.next(), queue.next()] == [.make(place(7)), .make(place(8)), .make(place(1))])
        #expect(queue.next() == .compare(day: "2026/11/20"))
        queue.compared([])
        #expect(queue.counters.comparisons == 1)
        #expect(queue.next() == .rest)
        queue.failed()
        #expect(queue.next() == .list)
    }

    @Test("Bounds the queue of small pictures, and catches up with every shot")
    func overflows() {
        var queue = PreviewQueue()
        _ = queue.next()
        queue.listed([])
        #expect(queue.next() == .rest)
        for number in 0..<PreviewQueue.limit + 2 { queue.note(place(Int64(number))) }
        #expect(queue.counters.overflows == 2)
        var made: Set<PreviewQueue.Place> = []
        while case .make(let place) = queue.next() { made.insert(place) }
        #expect(made.count == PreviewQueue.limit && !made.contains(place(0)) && !made.contains(place(1)))
        // The step that was not a picture was the list of all days.
        queue.listed(["2026/11/21"])
        #expect(queue.next() == .compare(day: "2026/11/21"))
    }

    private func place(_ number: Int64) -> PreviewQueue.Place {
        .init(id: StoredShot.id(number), day: "2026/11/21")
    }
}
