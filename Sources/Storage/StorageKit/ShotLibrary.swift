public import CaptureModel
public import ShotDocuments

/// The rig's library for code that runs shots: shots, their annotations and files, in any stores.
///
/// Remembers the revision of each open shot that it wrote, so that writing the next revision reads nothing.
public actor ShotLibrary {
    private let store: any ShotStore
    private let assets: any AssetStore
    private let stored: any AssetReading
    private let annotations: any AnnotationStore
    private let reading: any ShotReading & AssetReading
    /// What this object knows of the manifests that it wrote of open shots.
    private var written: [ShotID: Written] = [:]

    private enum Written {
        /// The store has this revision.
        case revision(Int)
        /// The last write failed: the store has either the previous revision, nil if there was none, or this manifest.
        case either(Int?, StoredManifest)
    }

    /// - Parameters:
    ///   - store: Writes manifests.
    ///   - assets: Receives files.
    ///   - stored: Answers whether files are stored, as promptly as `store`.
    ///   - annotations: Reads and writes annotations.
    ///   - reading: Performs reads that may take long, such as reading every file of a shot.
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

    /// Stores the first or next manifest of a shot, and returns once it is durable.
    /// - Throws: `noSpace`, `inputOutput`: either the previous manifest or this one is stored. `conflict` if another writer stored a manifest
    ///   since this object did; that manifest stays.
    public func write(_ shot: Shot) async throws(StorageError) {
        let previous = try await storedRevision(of: shot.id)
        do throws(StorageError) {
            if let previous {
                try await store.replace(previous, with: shot)
            } else if written[shot.id] == nil {
                try await writeUnknown(shot)
            } else {
                try await store.create(shot)
            }
        } catch {
            // A shot of a previous run, whose revision this object does not know, stays unknown. A shot that cannot be encoded was not
            // written.
            if previous != nil || shot.revision == 0, let manifest = try? StoredManifest(writing: shot) {
                written[shot.id] = .either(previous, manifest)
            }
            throw error
        }
        written[shot.id] = shot.status == .open ? .revision(shot.revision) : nil
    }

    /// Writes a shot of unknown revision. Most are new, so an existing manifest is read only if creating one conflicts.
    private func writeUnknown(_ shot: Shot) async throws(StorageError) {
        do throws(StorageError) {
            try await store.create(shot)
        } catch {
            guard error.code == .conflict, let found = try await store.shot(shot.id) else { throw error }
            try await store.replace(found.revision, with: shot)
        }
    }

    /// Returns the revision that the next manifest of a shot replaces; nil if there is none, as far as this object knows.
    private func storedRevision(of id: ShotID) async throws(StorageError) -> Int? {
        switch written[id] {
        case nil: return nil
        case .revision(let revision): return revision
        case .either(let previous, let attempted):
            let bytes = try await store.manifestBytes(of: id)
            if bytes == attempted.bytes { return attempted.shot.revision }
            let found = bytes == nil ? nil : try await store.shot(id)?.revision
            guard found == previous else {
                throw StorageError(
                    .conflict, "write", id,
                    "the store has \(found.map { "revision \($0)" } ?? "no manifest") of shot \(id), which this coordinator did not write: another coordinator uses the same library, or somebody changed the manifest. Stop the other coordinator; the stored manifest stays"
                )
            }
            return previous
        }
    }

    /// Returns the shot with this id, or nil.
    public func shot(_ id: ShotID) async throws(StorageError) -> Shot? { try await store.shot(id) }

    /// Returns the shot with this id and the document that it was read from, or nil.
    public func manifest(_ id: ShotID) async throws(StorageError) -> StoredManifest? {
        guard let bytes = try await manifestBytes(of: id) else { return nil }
        if let manifest = try? StoredManifest(bytes), manifest.shot.id == id { return manifest }
        // This call throws an error that says what is wrong with it, and where it is.
        _ = try await shot(id)
        throw StorageError(
            .corrupted, "read", id, "the manifest of shot \(id) was damaged a moment ago; ask again")
    }

    /// Returns the stored manifest of this shot without decoding it, or nil.
    public func manifestBytes(of id: ShotID) async throws(StorageError) -> [UInt8]? {
        try await store.manifestBytes(of: id)
    }

    /// Returns whether the library has anything of this shot, with or without a readable manifest. True if this cannot be determined.
    public func contains(_ id: ShotID) async -> Bool {
        do throws(StorageError) {
            return try await store.day(of: id) != nil
        } catch {
            return true
        }
    }

    /// Returns every shot without a result, oldest first, and the manifests that could not be read. Removes the remains of shots that never
    /// began, and uploads of shots with a result. A file whose upload was removed is fetched again if it still arrives.
    public func openShots() async throws(StorageError) -> ShotListing {
        let listing = try await store.openShots()
        await store.removeUnbegun(listing.unbegun)
        if listing.damaged.isEmpty { await assets.forgetUploads(exceptOf: Set(listing.shots.map(\.id))) }
        return listing
    }

    /// Deletes a shot that nothing else works on; see ``ShotStore/delete(_:)``. Also removes what has been received of its files.
    public func delete(_ deletion: ShotDeletion) async throws(StorageError) {
        try await store.delete(deletion)
        written[deletion.shot] = nil
        await assets.forgetUploads(of: deletion.shot, except: [])
    }

    /// Returns the record of a deleted shot; see ``ShotReading/deletion(of:)``.
    public func deletion(of id: ShotID) async throws(StorageError) -> ShotDeletion? {
        try await store.deletion(of: id)
    }

    /// As ``ShotStore/finishDeletions()``.
    public func finishDeletions() async -> [ShotID: Result<ShotDeletion, StorageError>] {
        await store.finishDeletions()
    }

    /// Checks that every file that the manifest says is stored exists.
    /// - Throws: `inputOutput`, with the first file that does not exist, or the library if it is not in its place.
    public func confirm(_ shot: Shot) async throws(StorageError) {
        var missing: [FileKey] = []
        for key in shot.storedFiles where try await stored.byteCount(of: key) == nil { missing.append(key) }
        if let first = missing.first {
            let place = "\(store.location)/\(store.location(of: shot))/\(stored.location(of: first))"
            throw StorageError(
                .inputOutput, "find", first,
                "the library has lost \(missing.count) of the files that it stored for shot \(shot.id), first \(place): they were moved or removed. Restore them; `capctl shots verify \(shot.id)` names all of them."
            )
        }
        // Last, since the files above were looked up in the store that was opened, which may have been moved.
        try await store.check()
    }

    /// - Throws: `inputOutput` if the library is not at the location that users know.
    public func checkPlace() async throws(StorageError) { try await store.check() }

    /// Checks that the library is in its place and that another shot can be begun.
    /// - Throws: `inputOutput`, `noSpace`.
    public func checkAdmission() async throws(StorageError) {
        try await store.check()
        try await store.checkRoom()
    }

    /// Returns what the library lost and put right by itself lately, as a sentence; nil if there is nothing to say.
    public func mishap() async -> String? { await store.mishap() }

    /// Returns the bytes that may still be stored; nil if the store does not provide it.
    public func freeBytes() async -> Int64? { await store.freeBytes() }

    /// Returns title and note of a shot; empty if none were written.
    public func annotation(of id: ShotID) async throws(StorageError) -> ShotAnnotation {
        try await annotations.annotation(of: id)
    }

    /// Changes title, note or both; see ``AnnotationStore/edit(_:_:if:)``.
    public func annotate(
        _ id: ShotID, _ edit: ShotAnnotationEdit,
        if isExpected: (@Sendable (ShotAnnotation) async throws(StorageError) -> Bool)? = nil
    ) async throws(StorageError) -> ShotAnnotation {
        try await annotations.edit(id, edit, if: isExpected)
    }

    /// Hashes every file of a shot again; see ``ShotVerification/findings(of:)``.
    public func verify(_ id: ShotID) async throws(StorageError) -> [VerifyFinding] {
        try await ShotVerification(shots: reading, assets: reading).findings(of: id)
    }

    /// Returns entries that belong to no shot; see ``ShotVerification/unclaimed()``.
    public func unclaimed() async throws(StorageError) -> [VerifyFinding] {
        try await ShotVerification(shots: reading, assets: reading).unclaimed()
    }
}

extension Shot {
    /// The files that the manifest says are stored.
    public var storedFiles: [FileKey] {
        captures.flatMap { capture in
            capture.files.filter(\.isStored).map { file in
                FileKey(capture: CaptureKey(shot: id, device: capture.device.id), kind: file.kind)
            }
        }
    }
}
