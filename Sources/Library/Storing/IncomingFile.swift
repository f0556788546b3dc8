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

    /// Continues the part.
    /// - Parameters:
    ///   - offset: Bytes it holds.
    ///   - hash: Of these bytes.
    init(part: OpenFile, byteCount: Int64, digest: ContentDigest, offset: Int64, hash: SHA256) {
        self.part = part
        self.byteCount = byteCount
        self.digest = digest
        self.offset = offset
        self.hash = hash
    }

    /// So much is on its way to the disk at a time, so that whoever waits for all of it does not wait for the whole file.
    private static let writeBack: Int64 = 32 << 20

    mutating func append(_ bytes: [UInt8]) throws(PosixError) {
        try part.write(bytes)
        hash.update(data: bytes)
        if (offset + Int64(bytes.count)) / Self.writeBack > offset / Self.writeBack { part.startWriteBack() }
        offset += Int64(bytes.count)
    }

    var isComplete: Bool { offset == byteCount }

    /// The digest of what the part holds.
    var foundDigest: ContentDigest { ContentDigest(hash.finalize()) }

    func sync() throws(PosixError) {
        try part.sync()
    }
}
