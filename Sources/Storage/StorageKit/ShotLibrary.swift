public import CaptureModel

/// The rig's library as those who run shots see it: shots, their annotations and files, in whatever stores. Every failure is told as the problem
/// that a shot reports.
///
/// Remembers the revision of each open shot that it wrote, so that writing the next one reads nothing.
public actor ShotLibrary {
    private let store: any ShotStore
    private let assets: any AssetStore
    private let stored: any AssetReading
    private let annotations: any AnnotationStore
    private let reading: any ShotReading & AssetReading
    /// The revisions that this object knows to be stored, of open shots.
    private var revisions: [ShotID: Int] = [:]

    /// - Parameters:
    ///   - store: Writes manifests.
    ///   - assets: Receives files.
    ///   - stored: Tells whether files are stored, as soon as `store` answers.
    ///   - annotations: Reads and writes annotations.
    ///   - reading: Reads what may take long, such as every file of a shot.
    public init(
        store: any ShotStore, assets: any AssetStore, stored: any AssetReading, annotations: any AnnotationStore,
        reading: any ShotReading & AssetReading
    ) {
        self.store = store
        self.assets = assets
        self.stored = stored
        self.annotations = annotations
        self.reading = reading
    }

    /// Where users find the library.
    public nonisolated var path: String { store.location }

    /// Where users find a shot inside the library.
    public nonisolated func folder(of shot: Shot) -> String { store.location(of: shot) }

    /// Stores a shot's manifest, its first or the next one, and returns once it is durable.
    /// - Throws: `noSpace`, `inputOutput`: the manifest before may be stored, or this one. `conflict` where another writer was first.
    public func journal(_ shot: Shot) async throws(CaptureProblem) {
        do throws(StorageError) {
            if let revision = revisions[shot.id] {
                try await store.replace(revision, with: shot)
            } else {
                try await journalUnknown(shot)
            }
        } catch {
            // Which manifest is stored is not known until it is read again.
            revisions[shot.id] = nil
            throw CaptureProblem(error)
        }
        revisions[shot.id] = shot.status == .open ? shot.revision : nil
    }

    /// Most shots that are not known are new: only where the store has a manifest already, that one is read.
    private func journalUnknown(_ shot: Shot) async throws(StorageError) {
        do throws(StorageError) {
            try await store.create(shot)
        } catch {
            guard error.code == .conflict, let found = try await store.shot(shot.id) else { throw error }
            try await store.replace(found.revision, with: shot)
        }
    }

    /// The shot with this id, or nil.
    public func shot(_ id: ShotID) async throws(CaptureProblem) -> Shot? {
        try await translating { [store] () async throws(StorageError) in try await store.shot(id) }
    }

    /// Whether the library has anything of this shot, with or without a manifest that can be read.
    public func contains(_ id: ShotID) async -> Bool {
        do throws(StorageError) {
            return try await store.day(of: id) != nil
        } catch {
            return true
        }
    }

    /// Every shot without a result, oldest first, and the manifests that could not be read. Removes what crashes have left of shots that never
    /// began, and uploads of shots with a result: such a file, where it still comes, is fetched anew.
    public func openShots() async throws(CaptureProblem) -> ShotListing {
        let listing = try await translating { [store] () async throws(StorageError) in try await store.openShots() }
        await store.removeUnbegun(listing.unbegun)
        if listing.damaged.isEmpty { await assets.forgetUploads(exceptOf: Set(listing.shots.map(\.id))) }
        return listing
    }

    /// Looks for every file that is stored.
    /// - Throws: `inputOutput`, naming the first that is not there, or the library where that is not in its place.
    public func confirm(_ shot: Shot) async throws(CaptureProblem) {
        try await translating { [store, stored] () async throws(StorageError) in
            var missing: [FileKey] = []
            for key in shot.storedFiles where try await stored.byteCount(of: key) == nil { missing.append(key) }
            if let first = missing.first {
                let place = "\(store.location)/\(store.location(of: shot))/\(stored.location(of: first))"
                throw StorageError(
                    .inputOutput, "find", first,
                    "the library no longer has \(missing.count) of the files that it stored of shot \(shot.id), first \(place): somebody has moved or removed them. Put them back; `capctl shots verify \(shot.id)` names all of them."
                )
            }
            // Last, since whatever was found above was found in the store that was opened.
            try await store.check()
        }
    }

    /// - Throws: `inputOutput` where the library is not where users are told that it is.
    public func checkPlace() async throws(CaptureProblem) {
        try await translating { [store] () async throws(StorageError) in try await store.check() }
    }

    /// Bytes that may still be stored; nil where that cannot be asked.
    public func freeBytes() async -> Int64? { await store.freeBytes() }

    /// What people have written about a shot; empty where they have not.
    public func annotation(of id: ShotID) async throws(CaptureProblem) -> ShotAnnotation {
        try await translating { [annotations] () async throws(StorageError) in try await annotations.annotation(of: id)
        }
    }

    /// Changes what is written about a shot; see ``AnnotationStore/edit(_:_:)``.
    public func annotate(_ id: ShotID, _ edit: ShotAnnotationEdit) async throws(CaptureProblem) -> ShotAnnotation {
        try await translating { [annotations] () async throws(StorageError) in try await annotations.edit(id, edit) }
    }

    /// Hashes every file of a shot again; see ``ShotVerification/findings(of:)``.
    public func verify(_ id: ShotID) async throws(CaptureProblem) -> [VerifyFinding] {
        try await translating { [reading] () async throws(StorageError) in
            try await ShotVerification(shots: reading, assets: reading).findings(of: id)
        }
    }

    /// What belongs to no shot; see ``ShotVerification/unclaimed()``.
    public func unclaimed() async throws(CaptureProblem) -> [VerifyFinding] {
        try await translating { [reading] () async throws(StorageError) in
            try await ShotVerification(shots: reading, assets: reading).unclaimed()
        }
    }

    private nonisolated func translating<Result: Sendable>(
        _ work: () async throws(StorageError) -> Result
    ) async throws(CaptureProblem) -> Result {
        do throws(StorageError) {
            return try await work()
        } catch {
            throw CaptureProblem(error)
        }
    }
}

extension Shot {
    /// The files that its manifest says are stored.
    public var storedFiles: [FileKey] {
        captures.flatMap { capture in
            capture.files.filter(\.isStored).map { file in
                FileKey(capture: CaptureKey(shot: id, device: capture.device.id), kind: file.kind)
            }
        }
    }
}
