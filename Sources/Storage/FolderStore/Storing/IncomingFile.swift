internal import CaptureModel
internal import Crypto
internal import PosixSupport
internal import StorageKit

/// A file on its way into the library: its part under `.incoming/`, and the hash of what was received.
///
/// The part is made durable a window at a time: the kernel is told early to write, so that little is left when the window is synced, and whoever
/// waits for another file of the disk never waits for all of this one.
struct IncomingFile {
    let content: AssetContent
    /// Bytes received.
    private(set) var offset: Int64 = 0
    /// Bytes that survive a power cut, and their hash.
    private(set) var durableOffset: Int64 = 0
    private var hash = SHA256()
    private var durableHash = SHA256()
    /// nil while the file does not come.
    private(set) var part: OpenFile?

    init(part: OpenFile, content: AssetContent) {
        self.part = part
        self.content = content
    }

    /// So much is on its way to the disk at a time.
    static let writeBack: Int64 = 2 << 20
    /// So much may be lost with the power.
    static let window: Int64 = 8 << 20

    /// After an error ``rollBack()`` is to follow.
    mutating func append(_ bytes: [UInt8]) throws(PosixError) {
        try part?.write(bytes)
        hash.update(data: bytes)
        let before = offset
        offset += Int64(bytes.count)
        if offset / Self.window > before / Self.window {
            try part?.syncData()
            (durableOffset, durableHash) = (offset, hash)
        } else if offset / Self.writeBack > before / Self.writeBack {
            part?.startWriteBack()
        }
    }

    /// Goes back to what is durable, since nobody knows what the part holds besides.
    mutating func rollBack() {
        part = nil
        (offset, hash) = (durableOffset, durableHash)
    }

    /// Lets go of the descriptor.
    mutating func suspend() {
        part = nil
    }

    /// Goes on with the part.
    /// - Returns: Whether it still has what was received.
    mutating func resume(_ part: OpenFile) throws(PosixError) -> Bool {
        let byteCount = try part.byteCount()
        guard byteCount >= offset else { return false }
        if byteCount > offset { try part.setByteCount(offset) }
        self.part = part
        return true
    }

    var isComplete: Bool { offset == content.byteCount }

    /// The digest of what was received.
    var foundDigest: ContentDigest { ContentDigest(hash.finalize()) }

    func sync() throws(PosixError) {
        try part?.sync()
    }
}
