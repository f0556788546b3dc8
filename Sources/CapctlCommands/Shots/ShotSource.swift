internal import CaptureModel
internal import Library
internal import PosixSupport
internal import RigClient

/// Where `capctl shots` gets its answers: a coordinator, or the folder of a library.
protocol ShotSource {
    /// At most `limit` shots, newest first, older than `before`.
    func list(limit: Int, before: ShotID?) async throws -> ShotList
    func show(_ id: ShotID) async throws -> LocatedShot
    /// Hashes every stored file of a shot again.
    func verify(_ id: ShotID) async throws -> Verification
    /// What lies in the library and belongs to no shot.
    func unclaimedFiles() async throws -> UnclaimedFiles
}

/// Asks the coordinator.
struct CoordinatorShots: ShotSource {
    var client: RigClient

    func list(limit: Int, before: ShotID?) async throws -> ShotList {
        try await client.shots(limit: limit, before: before)
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
    private let reader: LibraryReader
    private let folder: String

    /// - Throws: Where the folder cannot be read.
    init(folder: String) throws {
        self.folder = AbsolutePath.of(folder)
        do {
            reader = try LibraryReader(folder: self.folder)
        } catch {
            throw CommandFailure(.other, "the library \(self.folder) cannot be read: \(error)")
        }
    }

    func list(limit: Int, before: ShotID?) async throws -> ShotList {
        let listing = try reader.shots(limit: limit, before: before)
        let shots = listing.shots.map { shot in
            ShotSummary(
                id: shot.id, status: shot.status,
                realtimeNanoseconds: shot.wallClock.realtimeNanoseconds(at: shot.time), expected: shot.captures.count,
                done: shot.captures.count { $0.phase == .done }, folder: ShotDocument.folder(of: shot))
        }
        return ShotList(shots: shots, damaged: listing.damaged.map(\.description))
    }

    func show(_ id: ShotID) async throws -> LocatedShot {
        guard let shot = try reader.shot(id) else {
            throw CommandFailure(
                .failed, "the library \(folder) has no shot \(id); `capctl shots list` shows what it has")
        }
        return LocatedShot(shot: shot, folder: ShotDocument.folder(of: shot), library: folder)
    }

    func verify(_ id: ShotID) async throws -> Verification {
        let findings = try reader.verify(id)
        return Verification(shot: id, files: findings.map { .init($0) })
    }

    func unclaimedFiles() async throws -> UnclaimedFiles {
        UnclaimedFiles(files: try reader.unclaimed().map { .init($0) }, isCut: false)
    }
}

extension Verification.File {
    init(_ finding: VerifyFinding) {
        self.init(path: finding.path, finding: Verification.Finding(rawValue: finding.state.rawValue) ?? .unreadable)
    }
}
