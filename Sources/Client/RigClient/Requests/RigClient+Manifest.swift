public import CaptureModel
internal import RigProtocol
internal import RigWire
public import ShotDocuments

extension RigClient {
    /// How many times reading begins if the manifest is replaced while its pages are read.
    private static var attemptLimit: Int { 8 }

    /// A shot with its manifest.
    public func shot(_ id: ShotID) async throws(RigClientError) -> LocatedShot {
        let operation = "shots show"
        return try await read(try await document(of: id, operation), operation).located
    }

    /// The manifest of a shot, byte for byte as in the library.
    public func manifest(_ id: ShotID) async throws(RigClientError) -> StoredManifest {
        let operation = "shots show"
        return try await read(try await document(of: id, operation), operation).manifest
    }

    /// Reads an answer about a shot, and the pages of its manifest that the answer does not contain. If the manifest is
    /// replaced between the pages, the newer one is read.
    func read(
        _ document: WireShotDocument, _ operation: String
    ) async throws(RigClientError) -> (located: LocatedShot, manifest: StoredManifest) {
        var newest = document
        for _ in 0..<Self.attemptLimit {
            if let manifest = try await manifest(of: newest, operation) {
                // Only the answer to a trigger has the omitted devices.
                newest.notConfigured = document.notConfigured
                let located = try checking(operation) { () throws(WireError) in
                    try LocatedShot(wire: newest, manifest.shot)
                }
                return (located, manifest)
            }
            newest = try await self.document(of: try id(of: newest, operation), operation)
        }
        throw RigClientError(
            .refused(RigProblem.Code.conflict.rawValue), operation: operation, endpoint: endpoint,
            cause: "the manifest of the shot was replaced repeatedly while it was read; try again in a moment")
    }

    private func id(of document: WireShotDocument, _ operation: String) throws(RigClientError) -> ShotID {
        try checking(operation) { () throws(WireError) in try FieldReader("ShotDocument").shotID(document.shotID) }
    }

    private func document(of id: ShotID, _ operation: String) async throws(RigClientError) -> WireShotDocument {
        var request = WireGetShot()
        request.shotID = id.wire
        let answer = try await ask(.getShot(request), operation: operation)
        return try reading(answer, operation: operation) { body throws(WireError) in
            if case .shot(let document) = body { document } else { nil }
        }
    }

    /// - Returns: nil if the library has replaced the manifest.
    private func manifest(
        of document: WireShotDocument, _ operation: String
    ) async throws(RigClientError) -> StoredManifest? {
        var assembly = try checking(operation) { () throws(WireError) in try ManifestAssembly(wire: document) }
        while let request = assembly.next {
            let answer: Answer
            do throws(RigClientError) {
                answer = try await ask(.getManifest(request), operation: operation)
            } catch {
                guard error.code == .refused(RigProblem.Code.conflict.rawValue) else { throw error }
                return nil
            }
            let page: WireManifestPage = try reading(answer, operation: operation) { body throws(WireError) in
                if case .manifestPage(let page) = body { page } else { nil }
            }
            try checking(operation) { () throws(WireError) in try assembly.append(page) }
        }
        return try checking(operation) { () throws(WireError) in try assembly.manifest() }
    }
}
