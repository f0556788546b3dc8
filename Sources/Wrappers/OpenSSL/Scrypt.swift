import COpenSSL

/// Makes keys of passphrases with scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)).
public enum Scrypt {
    /// Returns the key that a passphrase and a salt make (`EVP_PBE_scrypt(3)`).
    /// - Parameters:
    ///   - cost: A power of two, N of RFC 7914.
    ///   - blockSize: r of RFC 7914.
    ///   - parallelism: p of RFC 7914.
    ///   - byteCount: The bytes of the key.
    ///   - memoryLimit: In bytes; the computation needs a little more than 128 · cost · blockSize.
    /// - Throws: ``OpenSSLError`` if the parameters are outside of RFC 7914, or need more memory than the limit or the machine.
    public static func key(
        of passphrase: [UInt8], salt: [UInt8], cost: UInt64, blockSize: UInt64, parallelism: UInt64, byteCount: Int,
        memoryLimit: UInt64
    ) throws(OpenSSLError) -> [UInt8] {
        var key = [UInt8](repeating: 0, count: byteCount)
        let status = unsafe passphrase.withUnsafeBytes { passphrase in
            unsafe EVP_PBE_scrypt(
                passphrase.baseAddress, passphrase.count, salt, salt.count, cost, blockSize, parallelism, memoryLimit,
                &key, key.count)
        }
        try check(status, "make a key of a passphrase")
        return key
    }
}
