internal import ArgumentParser
internal import CaptureModel
internal import Catalogue
internal import FolderStore
internal import PosixSupport
internal import RigClient
internal import RigDocuments
internal import StorageKit

/// The source of `capctl shots`: a coordinator, or the folder of a library.
protocol ShotSource {
    /// At most `limit` shots that match the query, newest first, older than `before`.
    func list(_ query: ShotQuery, limit: Int, before: ShotID?) async throws -> ShotList
    func show(_ id: ShotID) async throws -> LocatedShot
    /// Changes title, note and rejected pictures of a shot.
    func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation
    /// Hashes every stored file of a shot again.
    func verify(_ id: ShotID) async throws -> Verification
    /// The files in the library that belong to no shot.
    func unclaimedFiles() async throws -> UnclaimedFiles
}

/// Asks the coordinator.
struct CoordinatorShots: ShotSource {
    var client: RigClient

    func list(_ query: ShotQuery, limit: Int, before: ShotID?) async throws -> ShotList {
        try await client.shots(query, limit: limit, before: before)
    }

    func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation {
        try await client.edit(id, edit).annotation
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

    /// - Parameter note: Called with the reason for a slow answer.
    /// - Throws: If the folder cannot be read.
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
            note(
                "capctl: every manifest was read, since \(reason); `capctl shots reindex --library DIR` makes the index\n"
            )
        }
        let shots = listing.shots.map { entry in
            ShotSummary(
                id: entry.id, status: entry.status, realtimeNanoseconds: entry.realtimeNanoseconds,
                expected: entry.expected, done: entry.done, folder: entry.folder, title: entry.title)
        }
        return ShotList(
            shots: shots,
            damaged: listing.damaged.map { .init(id: $0.id, folder: $0.folder, reason: $0.description) },
            moreDamaged: listing.moreDamaged)
    }

    func edit(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws -> ShotAnnotation {
        if let shot = try reader.shot(id), let stranger = edit.strangers(in: shot).first {
            throw CommandFailure(
                .failed, "shot \(id) has no picture of \(stranger); `capctl shots show \(id)` lists its cameras")
        }
        return try await reader.edit(id, edit)
    }

    func show(_ id: ShotID) async throws -> LocatedShot {
        guard let shot = try reader.shot(id) else {
            if let deletion = try reader.deletion(of: id) { throw CommandFailure(.failed, deletion.sentence) }
            throw CommandFailure(
                .failed, "the library \(folder) has no shot \(id); `capctl shots list` lists its shots")
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

/// The part of a list: the newest entries, or those after an earlier page.
struct PageOptions: ParsableArguments {
    @Option(help: "The maximum number of entries.")
    var limit = 50

    @Option(
        help: "Only entries older than this one, by its id or a part of it.", completion: .shots,
        transform: ShotReference.argument)
    var before: ShotReference?

    func validate() throws {
        guard (1...100_000).contains(limit) else { throw ValidationError("--limit must be 1 to 100000.") }
    }

    /// Returns the page, and notes manifests that cannot be read on the console.
    func list(_ query: ShotQuery, from source: any ShotSource, _ console: Console) async throws -> ShotList {
        var oldest: ShotID?
        if let before { oldest = try await source.id(of: before, last: query.isOfTakes ? .takes : .shots) }
        let list = try await source.list(query, limit: limit, before: oldest)
        for damaged in list.damaged { console.note("capctl: damaged manifest: \(damaged.reason)\n") }
        if list.moreDamaged > 0 { console.note("capctl: \(list.moreDamaged.counted("more damaged manifest"))\n") }
        return list
    }
}

extension WatchOptions {
    /// Refuses to follow a library without a coordinator, which tells nothing of changes.
    /// - Throws: `ValidationError`.
    func validate(_ source: ShotSourceOptions) throws {
        guard !watch || source.library == nil else {
            throw ValidationError("--watch follows a coordinator; omit --library.")
        }
    }
}

/// Options of every command that reads shots.
struct ShotSourceOptions: ParsableArguments {
    @OptionGroup var rig: RigOptions

    @Option(help: "Read this library folder instead of asking a coordinator.")
    var library: String?

    /// Calls `body` with the source that the options name.
    func withSource<Result>(
        _ console: Console, _ body: (any ShotSource) async throws -> Result
    ) async throws -> Result {
        if let library { return try await body(LibraryShots(folder: library, note: console.note)) }
        return try await rig.withClient { try await body(CoordinatorShots(client: $0)) }
    }
}
