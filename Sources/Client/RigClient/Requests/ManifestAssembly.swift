internal import CaptureModel
internal import RigProtocol
internal import RigWire
internal import ShotDocuments

/// A manifest that arrives in pages. Pages of another manifest are refused, and a digest shows that it is complete.
struct ManifestAssembly {
    private static let reader = FieldReader("Manifest")

    let shot: ShotID
    private let digest: ContentDigest
    private let byteCount: Int
    private var bytes: [UInt8]

    /// Begins with the page in the answer about a shot.
    init(wire: WireShotDocument) throws(WireError) {
        shot = try FieldReader("ShotDocument").shotID(wire.shotID)
        let manifest = wire.manifest
        digest = try ContentDigest(wire: manifest.sha256)
        byteCount = Int(
            try Self.reader.number(manifest.byteCount, "byte_count", in: 1...Int64(WireLimits.manifestByteCount)))
        bytes = Array(manifest.content)
        guard bytes.count <= byteCount else { throw Self.reader.invalid("content", "has more than byte_count") }
    }

    /// The request for the next page; nil if all pages have arrived.
    var next: WireGetManifest? {
        guard bytes.count < byteCount else { return nil }
        var request = WireGetManifest()
        (request.shotID, request.offset) = (shot.wire, UInt64(bytes.count))
        request.sha256 = digest.wire
        return request
    }

    mutating func append(_ page: WireManifestPage) throws(WireError) {
        let reader = FieldReader("ManifestPage")
        guard page.shotID == shot.wire, page.sha256 == digest.wire, page.offset == UInt64(bytes.count) else {
            throw reader.invalid("offset", "is not the requested part, or belongs to another manifest")
        }
        guard (1...byteCount - bytes.count).contains(page.content.count) else {
            throw reader.invalid("content", "is empty, or has more than byte_count")
        }
        bytes += page.content
    }

    /// The document, once all pages have arrived.
    func manifest() throws(WireError) -> StoredManifest {
        let manifest: StoredManifest
        do {
            manifest = try StoredManifest(bytes)
        } catch {
            throw Self.reader.invalid("content", "cannot be read: \(error)")
        }
        guard manifest.digest == digest else { throw Self.reader.invalid("content", "has another digest than sha256") }
        guard manifest.shot.id == shot else { throw Self.reader.invalid("content", "is the manifest of another shot") }
        return manifest
    }
}
