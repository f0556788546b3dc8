import CaptureModel
import CaptureTestSupport
import Crypto
import Library
import PosixSupport
import Testing

/// Shots of one camera that a library has stored.
struct StoredShot {
    let folder: TemporaryFolder
    let library: Library

    init() throws {
        folder = try TemporaryFolder()
        library = try Library(folder: folder.path, executor: try FileExecutor(name: "library"))
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
        try await library.journal(shot)
        for (index, kind) in kinds.enumerated() {
            let key = FileKey(capture: CaptureKey(shot: shot.id, device: device), kind: kind)
            let bytes = files[kind] ?? []
            let digest = try #require(ContentDigest(bytes: Array(SHA256.hash(data: bytes))))
            _ = try await library.beginReceiving(key, byteCount: Int64(bytes.count), digest: digest)
            _ = try await library.receive(key, offset: 0, bytes: bytes)
            shot.captures[0].files[index].path = try await library.finish(key)
            shot.captures[0].files[index].outcome = .done
            shot.captures[0].files[index].byteCount = Int64(bytes.count)
            shot.captures[0].files[index].digest = digest
        }
        shot.captures[0].phase = .done
        (shot.status, shot.revision) = (.complete, 1)
        try await library.journal(shot)
        return shot
    }

    /// What there is of small pictures of a shot.
    func names(_ number: Int64 = 1) throws -> [String] { try folder.names(tree(number)) }

    func bytes(_ name: String, _ number: Int64 = 1) throws -> [UInt8] { try folder.read("\(tree(number))/\(name)") }

    func reader() throws -> LibraryReader { try LibraryReader(folder: folder.path) }

    func tree(_ number: Int64 = 1) -> String { ".previews/2026/11/21/\(Self.id(number))/north.cam1" }
}
