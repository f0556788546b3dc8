internal import CaptureModel
internal import OpenSSL
internal import StorageKit

/// Where an export is written: a folder or an archive. It knows paths and bytes, and decides nothing about shots.
protocol ExportTarget: AnyObject {
    /// Whether an export without any file of the library is written, for what it says about them.
    var mayLackFiles: Bool { get }

    /// Adds a file of the library, which it reads from `source` to its end. If the source fails, the export does not have the file.
    /// - Returns: `linked` or `copied`, or the outcome of the source's failure.
    /// - Throws: If the export cannot be written.
    func add(_ source: inout ExportSource) async throws(ExportError) -> ExportedFile.Outcome

    /// Adds a file that the export is given in addition to those of the library.
    /// - Parameter names: Its path from the root of the export.
    func write(_ bytes: [UInt8], to names: [String]) async throws(ExportError)
}

/// A stored file on its way into an export: read once, from its beginning to its end, and compared with its manifest on the way.
struct ExportSource {
    /// Why the export cannot have the file.
    struct Failure: Hashable {
        var outcome: ExportedFile.Outcome
        var reason: String
    }

    /// The most bytes that are returned at once.
    static let pieceByteCount = 1 << 20

    let item: ExportPlan.Item
    private let store: any AssetRangeReading
    private var hash = SHA256()
    /// How many bytes were returned.
    private(set) var byteCount: Int64 = 0
    private(set) var failure: Failure?
    /// What a timeline needs of a sidecar; nil if this is none, or before its end.
    private(set) var outline: SidecarOutline?
    private var sidecar: SidecarOutline.Reader?

    init(_ item: ExportPlan.Item, in store: any AssetRangeReading) {
        self.item = item
        self.store = store
        if item.isSidecar { sidecar = SidecarOutline.Reader() }
    }

    /// Returns the next bytes; none at the end, and none if the file cannot be read further or is not that of its manifest.
    mutating func next() async -> [UInt8] {
        guard failure == nil else { return [] }
        do throws(StorageError) {
            let bytes = try await store.read(item.key, at: byteCount, count: Self.pieceByteCount)
            if bytes.isEmpty { finish() } else { pass(bytes) }
            return failure == nil ? bytes : []
        } catch {
            failure = Failure(outcome: ExportedFile.Outcome(error), reason: error.description)
            return []
        }
    }

    /// Compares bytes that were read elsewhere, such as from a link to the file.
    mutating func pass(_ bytes: [UInt8]) {
        hash.update(bytes)
        sidecar?.append(bytes)
        byteCount += Int64(bytes.count)
        if let expected = item.file.byteCount, byteCount > expected {
            failure = Failure(outcome: .altered, reason: "it has more than the \(expected) bytes of its manifest")
        }
    }

    /// Compares all bytes with the manifest, after the last of them.
    mutating func finish() {
        guard failure == nil else { return }
        outline = sidecar?.outline
        let found = ContentDigest(bytes: hash.finalize())
        guard found == nil || found != item.file.digest else { return }
        failure = Failure(
            outcome: .altered,
            reason: "its SHA-256 is \(found?.description ?? "unknown") instead of "
                + (item.file.digest?.description ?? "unknown"))
    }
}

extension ExportedFile.Outcome {
    /// The outcome of a file that cannot be read to its end.
    init(_ error: StorageError) {
        switch error.code {
        case .notFound: self = .missing
        case .corrupted: self = .altered
        case .inputOutput, .noSpace, .conflict, .invalidRequest, .preconditionFailed: self = .unreadable
        }
    }
}
