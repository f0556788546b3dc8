public import StorageKit

/// A store as one process has it open.
public struct OpenStore: Sendable {
    public var shots: any ShotStore
    public var annotations: any AnnotationStore
    public var assets: any AssetStore

    public init(shots: any ShotStore, annotations: any AnnotationStore, assets: any AssetStore) {
        self.shots = shots
        self.annotations = annotations
        self.assets = assets
    }
}

/// What every store owes its users, whatever keeps its bytes.
///
/// Every check opens an empty store of its own. Where a process ends in between, everything it had open is let go of, and the same
/// store is opened again.
public struct StorageConformance: Sendable {
    /// Opens the store; called again after the values of the call before are gone.
    public typealias Opening = @Sendable () async throws -> OpenStore

    /// Makes an empty store.
    private let make: @Sendable () throws -> Opening

    public init(make: @escaping @Sendable () throws -> Opening) {
        self.make = make
    }

    /// Runs one check to its end.
    /// - Throws: ``StoreFailure`` with what was seen.
    public func run(_ check: StoreCheck) async throws(StoreFailure) {
        do {
            try await perform(check, try make())
        } catch let finding as Finding {
            throw StoreFailure(check: check, finding: finding.text)
        } catch {
            throw StoreFailure(check: check, finding: "\(error)")
        }
    }

    private func perform(_ check: StoreCheck, _ open: Opening) async throws {
        switch check {
        case .createdManifest: try await createdManifest(open)
        case .repeatedCreate: try await repeatedCreate(open)
        case .racingCreates: try await racingCreates(open)
        case .replacement: try await replacement(open)
        case .repeatedReplace: try await repeatedReplace(open)
        case .staleReplace: try await staleReplace(open)
        case .risingRevisions: try await risingRevisions(open)
        case .pagedListing: try await pagedListing(open)
        case .stamps: try await stamps(open)
        case .openShots: try await openShots(open)
        case .annotations: try await annotations(open)
        case .racingAnnotations: try await racingAnnotations(open)
        case .upload: try await upload(open)
        case .emptyAsset: try await emptyAsset(open)
        case .manyPieces: try await manyPieces(open)
        case .misplacedBytes: try await misplacedBytes(open)
        case .durableBytes: try await durableBytes(open)
        case .incompleteCommit: try await incompleteCommit(open)
        case .wrongDigest: try await wrongDigest(open)
        case .suspended: try await suspended(open)
        case .interrupted: try await interrupted(open)
        case .committedBefore: try await committedBefore(open)
        case .otherContent: try await otherContent(open)
        case .unknownShot: try await unknownShot(open)
        case .forgotten: try await forgotten(open)
        case .abandonedUploads: try await abandonedUploads(open)
        case .severalAtOnce: try await severalAtOnce(open)
        case .removed: try await removed(open)
        case .listedAssets: try await listedAssets(open)
        case .verification: try await verification(open)
        }
    }
}
