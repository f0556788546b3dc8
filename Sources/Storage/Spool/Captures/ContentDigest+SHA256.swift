internal import CaptureModel
internal import Crypto

extension ContentDigest {
    init(_ digest: SHA256.Digest) {
        guard let value = ContentDigest(bytes: Array(digest)) else { preconditionFailure("SHA-256 has 32 bytes") }
        self = value
    }
}
