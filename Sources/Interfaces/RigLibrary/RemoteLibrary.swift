public import CaptureModel
public import RigClient
internal import ShotDocuments
public import StorageKit

/// The library of a coordinator, read through it from any machine, as the store that an export reads.
///
/// Requests are made in the name of the task's session, if it has one (`RigClient.session`).
public actor RemoteLibrary {
    /// The coordinator's endpoint.
    public nonisolated let location: String
    private let client: RigClient
    /// The shots that were requested.
    private var shots: [ShotID: LocatedShot] = [:]
    /// Why the library can no longer be read; later requests fail with it at once.
    public private(set) var lost: StorageError?
    /// The coordinator's answer to the newest request that it has refused, or why it did not answer.
    public private(set) var refusal: RigClientError?

    /// - Parameter endpoint: The coordinator's endpoint, which the export names as the source of its files.
    public init(_ client: RigClient, endpoint: String) {
        (self.client, location) = (client, endpoint)
    }

    private func asking<Result>(
        _ operation: String, _ subject: some CustomStringConvertible, _ ask: () async throws -> Result
    ) async throws(StorageError) -> Result {
        if let lost { throw lost }
        do {
            return try await ask()
        } catch let error as RigClientError {
            refusal = error
            let failure = StorageError(error.storageCode, operation, subject, error.description)
            if error.isLoss || error.isOfSession { lost = failure }
            throw failure
        } catch {
            throw StorageError(.inputOutput, operation, subject, "\(error)")
        }
    }

    private func located(_ id: ShotID) async throws(StorageError) -> LocatedShot {
        if let shot = shots[id] { return shot }
        let shot = try await asking("read", id) { try await client.shot(id) }
        shots[id] = shot
        return shot
    }

    private func asset(_ key: FileKey) async throws(StorageError) -> StoredAsset {
        let shot = try await located(key.capture.shot).shot
        let capture = shot.captures.first { $0.device.id == key.capture.device }
        let file = capture?.files.first { $0.kind == key.kind }
        guard let asset = file.flatMap({ StoredAsset($0, of: shot.id) }) else {
            throw StorageError(.notFound, "read", key, "\(key) is not stored")
        }
        return asset
    }
}

extension RemoteLibrary: ShotLookup {
    public func shot(_ id: ShotID) async throws(StorageError) -> Shot? {
        do throws(StorageError) {
            return try await located(id).shot
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    public func manifestBytes(of id: ShotID) async throws(StorageError) -> [UInt8]? {
        do throws(StorageError) {
            return try await asking("read", id) { try await client.manifest(id).bytes }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
    }

    public func annotation(of id: ShotID) async throws(StorageError) -> ShotAnnotation {
        try await located(id).annotation
    }
}

extension RemoteLibrary: AssetRangeReading {
    public func byteCount(of key: FileKey) async throws(StorageError) -> Int64? {
        let asset = try await asset(key)
        do throws(StorageError) {
            try await asking("read", key) { try await client.check(asset) }
        } catch {
            guard error.code == .notFound else { throw error }
            return nil
        }
        return asset.byteCount
    }

    public func read(_ key: FileKey, at offset: Int64, count: Int) async throws(StorageError) -> [UInt8] {
        let asset = try await asset(key)
        return try await asking("read", key) { try await client.bytes(of: asset, at: offset, count: count) }
    }
}

extension RigClientError {
    fileprivate var storageCode: StorageError.Code {
        switch code {
        case .altered, .refused(RigProblem.Code.corrupted.rawValue): .corrupted
        case .refused(RigProblem.Code.fileLost.rawValue), .refused(RigProblem.Code.unknownShot.rawValue),
            .refused(RigProblem.Code.unknownFile.rawValue), .refused(RigProblem.Code.deleted.rawValue):
            .notFound
        default: .inputOutput
        }
    }

    /// Whether the coordinator is lost, so that all further requests would fail too.
    public var isLoss: Bool {
        switch code {
        case .noCoordinator, .lostCoordinator, .closed, .keyRefused, .wrongCoordinator: true
        case .nothingSelected, .refused, .malformedReply, .altered: false
        }
    }

    /// Whether whoever asks may not read, or no longer.
    fileprivate var isOfSession: Bool {
        [.refused(RigProblem.Code.sessionEnded.rawValue), .refused(RigProblem.Code.notPermitted.rawValue)]
            .contains(code)
    }
}
