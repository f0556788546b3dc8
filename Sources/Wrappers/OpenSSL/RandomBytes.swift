import COpenSSL

/// Random bytes for secrets.
public enum RandomBytes {
    /// Returns bytes that nobody can predict (`RAND_bytes(3)`).
    /// - Throws: ``OpenSSLError`` if the system gives no randomness.
    public static func make(count: Int) throws(OpenSSLError) -> [UInt8] {
        let operation = "make random bytes"
        guard let size = Int32(exactly: count), size >= 0 else {
            throw OpenSSLError(operation, reason: "\(count) is not a number of bytes")
        }
        var bytes = [UInt8](repeating: 0, count: count)
        try check(unsafe RAND_bytes(&bytes, size), operation)
        return bytes
    }
}
