import CaptureModel
import CaptureTestSupport
import FolderStore
import Foundation
import OpenSSL
import StorageKit
import Testing
import TurboJPEG

/// Shots of one camera that a library has stored.
struct StoredShot {
    let folder: TemporaryFolder
    let library: FolderStore

    init() throws {
        folder = try TemporaryFolder()
        library = try FolderStore(folder: folder.path)
    }

    static func id(_ number: Int64) -> ShotID {
        var generator = SeededGenerator(seed: UInt64(bitPattern: number))
        // 2026-11-21T10:11:01Z.
        return ShotID(unixMilliseconds: 1_795_255_861_000 + number, using: &generator)
    }

    /// Stores these files and a manifest that says so.
    @discardableResult
    func store(_ files: [AssetKind: [UInt8]], _ number: Int64 = 1) async throws -> Shot {
        let device = try DeviceID("north/cam1")
        let kinds = AssetKind.allCases.filter { files[$0] != nil }
        var shot = Shot(
            id: Self.id(number), time: RigTime(nanoseconds: 1_000_000_250), rigClock: RigClockID(rawValue: "boot.1"),
            wallClock: WallClockPair(
                monotonic: RigTime(nanoseconds: 1_000_000_000), realtimeNanoseconds: 1_795_255_861_000_000_000),
            coordinatorEpoch: .random(), request: ShotRequest(selection: Selection()),
            captures: [Capture(device: DeviceDescription(id: device, driver: "virtual"), kinds: kinds)])
        try await library.library.write(shot)
        for (index, kind) in kinds.enumerated() {
            let key = FileKey(capture: CaptureKey(shot: shot.id, device: device), kind: kind)
            let bytes = files[kind] ?? []
            let digest = try #require(ContentDigest(bytes: SHA256.hash(bytes)))
            _ = try await library.assets.begin(key, AssetContent(byteCount: Int64(bytes.count), digest: digest))
            try await library.assets.append(bytes, to: key, at: 0)
            shot.captures[0].files[index].path = try await library.assets.commit(key).description
            shot.captures[0].files[index].outcome = .done
            shot.captures[0].files[index].byteCount = Int64(bytes.count)
            shot.captures[0].files[index].digest = digest
        }
        shot.captures[0].phase = .done
        (shot.status, shot.revision) = (.complete, 1)
        try await library.library.write(shot)
        return shot
    }

    /// What there is of small pictures of a shot.
    func names(_ number: Int64 = 1) throws -> [String] { try folder.names(tree(number)) }

    func bytes(_ name: String, _ number: Int64 = 1) throws -> [UInt8] { try folder.read("\(tree(number))/\(name)") }

    func reader() throws -> FolderReader { try FolderReader(folder: folder.path) }

    func tree(_ number: Int64 = 1) -> String { ".previews/2026/11/21/\(Self.id(number))/north.cam1" }
}

/// Pictures of which it is known what their middle shows.
enum Pictures {
    /// Gray `middle` in the middle square of the shorter side, `edge` beside it.
    static func jpeg(
        _ width: Int, _ height: Int, _ subsampling: ChromaSubsampling = .yuv422, middle: UInt8 = 220, edge: UInt8 = 30
    ) throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: subsampling)
        let sizes = geometry.planeSizes
        let square = min(width, height)
        let (left, top) = ((width - square) / 2, (height - square) / 2)
        var luma = [UInt8](repeating: edge, count: sizes[0].width * sizes[0].height)
        for y in top..<top + square {
            for x in left..<left + square { luma[y * sizes[0].width + x] = middle }
        }
        let chroma = [UInt8](repeating: 128, count: sizes.count > 1 ? sizes[1].width * sizes[1].height : 0)
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(
            geometry, y: luma.span, cb: chroma.span, cr: chroma.span, quality: 95, into: &jpeg)
        return jpeg
    }

    /// Size and rows of gray values of a JPEG, as `djpeg` of libjpeg-turbo decodes it.
    static func decoded(_ jpeg: [UInt8]) throws -> (width: Int, height: Int, pixels: [UInt8]) {
        let folder = try TemporaryFolder()
        let (source, target) = (try folder.write(jpeg, as: "a.jpg"), folder.path + "/a.pgm")
        let outcome = try ExternalTool.run("djpeg", "-grayscale", "-strict", "-outfile", target, source)
        guard outcome.status == 0 else { throw Undecodable(output: outcome.output) }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: target)))
        // P5, sides and 255, each behind white space, and a line end.
        let fields = bytes.prefix(32).split(maxSplits: 4, whereSeparator: { $0 == 0x20 || $0 == 0x0A }).prefix(4)
        let numbers = fields.dropFirst().compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        guard numbers.count == 3 else { throw Undecodable(output: "\(numbers)") }
        return (numbers[0], numbers[1], Array(bytes.suffix(numbers[0] * numbers[1])))
    }

    struct Undecodable: Error {
        var output: String
    }
}
