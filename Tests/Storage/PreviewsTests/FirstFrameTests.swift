import CaptureModel
import CaptureTestSupport
import ImageMetadata
import Movies
import PosixSupport
import StorageKit
import Testing

@testable import Previews

/// A movie of which only ranges can be read, as a store gives them.
@Suite struct FirstFrameTests {
    /// A store of one movie that counts what is read of it.
    private struct MovieStore: AssetReading {
        let bytes: [UInt8]
        let read = Observed(0)

        func location(of key: FileKey) -> AssetLocation { AssetLocation("movie.mov") }
        func byteCount(of key: FileKey) -> Int64? { Int64(bytes.count) }
        func content(of key: FileKey) -> AssetContent? { nil }
        func list(_ scope: AssetScope, after: AssetLocation?, limit: Int) -> [AssetLocation] { [] }

        func read(_ key: FileKey, at offset: Int64, count: Int) -> [UInt8] {
            let bytes = Array(bytes.dropFirst(Int(offset)).prefix(count))
            read.change { $0 += bytes.count }
            return bytes
        }
    }

    private func frame(of store: MovieStore) async throws -> [UInt8] {
        let key = FileKey(
            capture: CaptureKey(
                shot: StoredShot.id(1), device: try DeviceID("north/cam1")),
            kind: .movie(.first))
        let movie = PictureFile(store: store, key: key, byteCount: Int64(store.bytes.count))
        return try await FirstFrame(movie).jpeg()
    }

    private func movie(frames count: Int) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        var frames: [LivePhotoClip.Frame] = []
        for index in 0..<count {
            let jpeg = try Pictures.jpeg(640, 480, middle: UInt8(200 - index % 100))
            frames.append(LivePhotoClip.Frame(jpeg: jpeg, presentationTime: Int64(index) * 3000))
        }
        _ = try LivePhotoClip(
            frames: frames, stillIndex: 1, contentIdentifier: "7C3E9F0E-3D6C-4A2B-8F50-019A2C5E7B5A",
            creationDate: EXIFTimestamp(realtimeNanoseconds: 0, utcOffsetMinutes: 0)
        ).write(to: Folder(opening: folder.path), as: "movie.mov")
        return try folder.read("movie.mov")
    }

    @Test func `the first picture of a long movie costs reading all of it`() async throws {
        let store = MovieStore(bytes: try movie(frames: 300))
        try #require(store.bytes.count > 6 * 262_144, "the movie has \(store.bytes.count) bytes")
        let picture = try Pictures.decoded(try await frame(of: store))
        #expect(picture.width == 640 && abs(Int(picture.pixels[640 * 240 + 320]) - 200) < 6)
        #expect(store.read.value < store.bytes.count / 2, "\(store.read.value) of \(store.bytes.count) bytes were read")
    }

    @Test(arguments: [0, 1, 100, 262_144, 300_000])
    func `a movie that is cut off keeps a picture from being tried for ever`(
        _ count: Int
    ) async throws {
        let store = MovieStore(bytes: Array(try movie(frames: 60).prefix(count)))
        _ = await #expect(throws: PictureProblem.self) { try await frame(of: store) }
        #expect(store.read.value <= store.bytes.count)
    }
}
