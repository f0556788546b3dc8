internal import CaptureModel
internal import Catalogue
internal import FolderStore
internal import PosixSupport
internal import RigClient
internal import StorageKit

/// Where `capctl shots` gets its answers: a coordinator, or the folder of a library.
protocol ShotSource {
    /// At most `limit` shots that the query takes, newest first, older than `before`.
    func list(_ query: ShotQuery, limit: Int, before: ShotID?) async throws -> ShotList
    func show(_ id: ShotID) async throws -> LocatedShot
    /// Changes what is written about a shot.
    func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation
    /// Hashes every stored file of a shot again.
    func verify(_ id: ShotID) async throws -> Verification
    /// What lies in the library and belongs to no shot.
    func unclaimedFiles() async throws -> UnclaimedFiles
}

/// Asks the coordinator.
struct CoordinatorShots: ShotSource {
    var client: RigClient

    func list(_ query: ShotQuery, limit: Int, before: ShotID?) async throws -> ShotList {
        try await client.shots(query, limit: limit, before: before)
    }

    func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation {
        try await client.edit(id, edit)
    }

    func show(_ id: ShotID) async throws -> LocatedShot {
        try await client.shot(id)
    }

    func verify(_ id: ShotID) async throws -> Verification {
        try await client.verify(id)
    }

    func unclaimedFiles() async throws -> UnclaimedFiles {
        try await client.unclaimedFiles()
    }
}

/// Reads the folder of a library; needs no coordinator and does not disturb one. Blocks its thread on the disk.
struct LibraryShots: ShotSource {
    private let reader: FolderReader
    private let folder: String
    private let note: @Sendable (String) -> Void

    /// - Parameter note: Told what made an answer slow.
    /// - Throws: Where the folder cannot be read.
    init(folder: String, note: @escaping @Sendable (String) -> Void = { _ in }) throws {
        self.folder = AbsolutePath.of(folder)
        self.note = note
        do {
            reader = try FolderReader(folder: self.folder)
        } catch {
            throw CommandFailure(.other, "the library \(self.folder) cannot be read: \(error)")
        }
    }

    func list(_ query: ShotQuery, limit: Int, before: ShotID?) async throws -> ShotList {
        let page = ShotPage(query, limit: limit, before: before)
        let listing = try await CatalogueReader(reader, folder: folder).shots(page)
        if !query.takesAll, case .manifests(let reason) = listing.source {
            note("capctl: every manifest was read, since \(reason); `capctl shots reindex --library DIR` makes it\n")
        }
        let shots = listing.shots.map { entry in
            ShotSummary(
                id: entry.id, status: entry.status, realtimeNanoseconds: entry.realtimeNanoseconds,
                expected: entry.expected, done: entry.done, folder: entry.folder, title: entry.title)
        }
        return ShotList(
            shots: shots, damaged: listing.damaged.map(\.description), moreDamaged: listing.moreDamaged)
    }

    func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation {
        try await reader.edit(id, edit)
    }

    func show(_ id: ShotID) async throws -> LocatedShot {
        guard let shot = try reader.shot(id) else {
            throw CommandFailure(
                .failed, "the library \(folder) has no shot \(id); `capctl shots list` shows what it has")
        }
        let annotation: ShotAnnotation
        do throws(StorageError) {
            annotation = try reader.annotation(of: id)
        } catch {
            note("capctl: title and note cannot be read: \(error)\n")
            annotation = ShotAnnotation()
        }
        return LocatedShot(
            shot: shot, folder: reader.location(of: shot), library: folder, annotation: annotation)
    }

    func verify(_ id: ShotID) async throws -> Verification {
        let findings = try await ShotVerification(shots: reader, assets: reader).findings(of: id)
        return Verification(shot: id, files: findings.map { .init($0) })
    }

    func unclaimedFiles() async throws -> UnclaimedFiles {
        let findings = try await ShotVerification(shots: reader, assets: reader).unclaimed()
        return UnclaimedFiles(files: findings.map { .init($0) }, isCut: false)
    }
}

extension Verification.File {
    init(_ finding: VerifyFinding) {
        self.init(path: finding.path, finding: Verification.Finding(rawValue: finding.state.rawValue) ?? .unreadable)
    }
}
