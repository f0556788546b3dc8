import CaptureModel
import CaptureTestSupport
import PosixSupport
import StorageConformance
import StorageKit

@testable import FolderStore

extension Samples {
    static func library(_ folder: TemporaryFolder, disk: FaultyDisk? = nil) throws -> FolderStore {
        try FolderStore(folder: folder.path, fault: disk?.fault)
    }

    /// Where the shot of this number lies when it is not later than the first day.
    static func folder(_ number: Int64 = 1) -> String { "2026/11/21/\(shotID(number))" }
}

/// The parts of a library, under names that say what a coordinator does with them.
extension FolderStore {
    /// Writes a manifest, whatever is there.
    func write(_ shot: Shot) async throws { try await manifests.write(shot) }

    func shot(_ id: ShotID) async throws -> Shot? { try await manifests.shot(id) }

    func openShots() async throws -> ShotListing { try await library.openShots() }

    func shots(limit: Int, before: ShotID? = nil) async throws -> ShotListing {
        try await browser.shots(limit: limit, before: before)
    }

    func path(of id: ShotID) async -> String? { await manifests.path(of: id) }

    /// How many bytes the library has of a file, from which its node goes on.
    func beginReceiving(_ key: FileKey, byteCount: Int64, digest: ContentDigest) async throws -> Int64 {
        switch try await assets.begin(key, AssetContent(byteCount: byteCount, digest: digest)) {
        case .resume(let offset): offset
        case .committed: byteCount
        }
    }

    func receive(_ key: FileKey, offset: Int64, bytes: [UInt8]) async throws {
        try await assets.append(bytes, to: key, at: offset)
    }

    func suspendReceiving(_ key: FileKey) async { await assets.suspend(key) }

    func abandon(_ key: FileKey) async { await assets.forget(key) }

    @discardableResult
    func finish(_ key: FileKey) async throws -> String { try await assets.commit(key).description }

    func finish(_ keys: [FileKey]) async -> [FileKey: Result<AssetLocation, StorageError>] {
        await assets.commit(keys)
    }

    /// Receives a whole file in chunks of 1000 bytes and puts it in place.
    @discardableResult
    func collect(_ key: FileKey, _ bytes: [UInt8]) async throws -> String {
        try await assets.collect(key, bytes).description
    }

    func annotate(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation {
        try await notes.edit(id, edit)
    }

    func annotation(of id: ShotID) async throws -> ShotAnnotation { try await notes.annotation(of: id) }

    func verify(_ id: ShotID) async throws -> [VerifyFinding] {
        try await ShotVerification(shots: browser, assets: browser).findings(of: id)
    }

    func unclaimed() async throws -> [VerifyFinding] {
        try await ShotVerification(shots: browser, assets: browser).unclaimed()
    }

    func checkPlace() async throws { try await manifests.check() }

    func confirm(_ shot: Shot) async throws { try await library.confirm(shot) }
}

extension FolderReader {
    func verify(_ id: ShotID) async throws -> [VerifyFinding] {
        try await ShotVerification(shots: self, assets: self).findings(of: id)
    }
}
