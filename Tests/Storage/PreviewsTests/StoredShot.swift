import CaptureModel
import CaptureTestSupport
import Crypto
import FolderStore
import StorageKit
import Testing

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
        try await library.library.journal(shot)
        for (index, kind) in kinds.enumerated() {
            let key = FileKey(capture: CaptureKey(shot: shot.id, device: device), kind: kind)
            let bytes = files[kind] ?? []
            let digest = try #require(ContentDigest(bytes: Array(SHA256.hash(data: bytes))))
            _ = try await library.assets.begin(key, AssetContent(byteCount: Int64(bytes.count), digest: digest))
            try await library.assets.append(bytes, to: key, at: 0)
            shot.captures[0].files[index].path = try await library.assets.commit(key).description
            shot.captures[0].files[index].outcome = .done
            shot.captures[0].files[index].byteCount = Int64(bytes.count)
            shot.captures[0].files[index].digest = digest
        }
        shot.captures[0].phase = .done
        (shot.status, shot.revision) = (.complete, 1)
        try await library.library.journal(shot)
        return shot
    }

    /// What there is of small pictures of a shot.
    func names(_ number: Int64 = 1) throws -> [String] { try folder.names(tree(number)) }

    func bytes(_ name: String, _ number: Int64 = 1) throws -> [UInt8] { try folder.read("\(tree(number))/\(name)") }

    func reader() throws -> FolderReader { try FolderReader(folder: folder.path) }

    func tree(_ number: Int64 = 1) -> String { ".previews/2026/11/21/\(Self.id(number))/north.cam1" }
}
