internal import CaptureModel
internal import Crypto
internal import PosixSupport

/// A file on its way into the library: its part under `.incoming/`, and the hash of what the part holds.
struct IncomingFile {
    let byteCount: Int64
    let digest: ContentDigest
    /// Bytes the part holds.
    private(set) var offset: Int64
    private var hash: SHA256
    private let part: OpenFile

    /// Opens the part in `folder`, with what an earlier attempt left of it.
    init(_ folder: Folder, name: String, byteCount: Int64, digest: ContentDigest) throws(PosixError) {
        part = try folder.open(name, for: .appending)
        self.byteCount = byteCount
        self.digest = digest
        offset = try part.byteCount()
        if offset > byteCount {
            try part.setByteCount(0)
            offset = 0
        }
        hash = offset == 0 ? SHA256() : try part.hash()
    }

    mutating func append(_ bytes: [UInt8]) throws(PosixError) {
        try part.write(bytes)
        hash.update(data: bytes)
        offset += Int64(bytes.count)
    }

    var isComplete: Bool { offset == byteCount }

    /// The digest of what the part holds.
    var foundDigest: ContentDigest { ContentDigest(hash.finalize()) }

    func sync() throws(PosixError) {
        try part.sync()
    }
}
