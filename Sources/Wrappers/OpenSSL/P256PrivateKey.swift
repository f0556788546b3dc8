import COpenSSL

/// A private key of the elliptic curve P-256, which signs.
@safe
public final class P256PrivateKey: @unchecked Sendable {
    private static let groupName = "prime256v1"

    // Never changes after `init`.
    let handle: OpaquePointer

    /// Generates a key (`EVP_EC_gen(3)`).
    public init() throws(OpenSSLError) {
        unsafe handle = try created(caprig_p256_generate(), "generate a private key")
    }

    /// Reads a key of PEM, in the form of PKCS #8 or of SEC 1, without a passphrase (`PEM_read_bio_PrivateKey(3)`).
    /// - Throws: ``OpenSSLError`` for bytes that are no such key, and for keys of another kind.
    public init(pem: [UInt8]) throws(OpenSSLError) {
        let operation = "read a private key"
        let file = try MemoryFile()
        try file.write(pem)
        unsafe handle = try created(caprig_read_private_key(file.handle), operation)
        var (name, count) = ([CChar](repeating: 0, count: 64), 0)
        guard unsafe EVP_PKEY_is_a(handle, "EC") == 1,
            unsafe EVP_PKEY_get_group_name(handle, &name, name.count, &count) == 1,
            name.prefix(count).elementsEqual(Self.groupName.utf8.map(CChar.init))
        else {
            ERR_clear_error()
            throw OpenSSLError(operation, reason: "it is not one of the curve P-256")
        }
    }

    deinit { unsafe EVP_PKEY_free(handle) }

    /// The key as PEM, in the form of PKCS #8 without a passphrase (`PEM_write_bio_PKCS8PrivateKey(3)`).
    public var pem: [UInt8] {
        get throws(OpenSSLError) {
            let file = try MemoryFile()
            try check(
                unsafe PEM_write_bio_PKCS8PrivateKey(file.handle, handle, nil, nil, 0, nil, nil), "write a private key")
            return file.bytes
        }
    }
}
