internal import CaptureModel
internal import Crypto
internal import PosixSupport

extension OpenFile {
    /// The SHA-256 of the whole file, read a mebibyte at a time.
    func digest() throws(PosixError) -> ContentDigest {
        ContentDigest(try hash().finalize())
    }

    /// The state of SHA-256 after the whole file, to be continued with what is appended.
    func hash() throws(PosixError) -> SHA256 {
        var hash = SHA256()
        var offset: Int64 = 0
        while true {
            let bytes = try read(at: offset, count: 1 << 20)
            guard !bytes.isEmpty else { return hash }
            hash.update(data: bytes)
            offset += Int64(bytes.count)
        }
    }
}

extension ContentDigest {
    init(_ digest: SHA256.Digest) {
        guard let value = ContentDigest(bytes: Array(digest)) else { preconditionFailure("SHA-256 has 32 bytes") }
        self = value
    }
}
