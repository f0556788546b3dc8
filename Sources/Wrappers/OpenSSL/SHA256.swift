import COpenSSL

/// SHA-256 of bytes that arrive in pieces ([FIPS 180-4](https://doi.org/10.6028/NIST.FIPS.180-4)).
///
/// A value: a copy continues separately from its original. libcrypto uses the processor's SHA instructions where there are any.
public struct SHA256: Sendable {
    /// Bytes of a digest.
    public static let byteCount = 32

    private var state: HashState

    public init() {
        state = HashState()
    }

    /// Appends bytes (`EVP_DigestUpdate(3)`).
    public mutating func update(_ bytes: Span<UInt8>) {
        if !isKnownUniquelyReferenced(&state) { state = state.copy() }
        state.update(bytes)
    }

    /// Appends bytes.
    public mutating func update(_ bytes: [UInt8]) {
        update(bytes.span)
    }

    /// Returns the digest of the bytes so far, which may be followed by more (`EVP_DigestFinal_ex(3)`).
    public func finalize() -> [UInt8] {
        state.copy().finish()
    }

    /// Returns the digest of bytes in memory (`EVP_Digest(3)`).
    public static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe digest { target in
            unsafe bytes.withUnsafeBytes {
                unsafe EVP_Digest($0.baseAddress, $0.count, target, nil, Algorithm.sha256.method, nil)
            }
        }
    }

    /// Returns the digest of bytes in memory.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        hash(bytes.span)
    }

    /// Returns the digest that `write` writes.
    fileprivate static func digest(_ write: (UnsafeMutablePointer<UInt8>?) -> Int32) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { target, count in
            let status = unsafe write(target.baseAddress)
            precondition(status == 1, "SHA-256 needs no resources at its end")
            count = byteCount
        }
    }
}

/// The implementation of SHA-256, looked up once (`EVP_MD_fetch(3)`): a lookup takes longer than the hash of a short text.
@safe
private struct Algorithm: @unchecked Sendable {
    static let sha256 = Algorithm()

    // Never changes, and libcrypto counts references to it atomically.
    let method: OpaquePointer

    init() {
        // A separate context has the default provider, whatever the machine's openssl.cnf says of the process's context.
        guard let method = unsafe EVP_MD_fetch(OSSL_LIB_CTX_new(), "SHA2-256", nil) else {
            fatalError("libcrypto has no SHA-256: \(OpenSSLError("find SHA-256").reason)")
        }
        unsafe self.method = method
    }
}

/// The state of one hash (`EVP_MD_CTX_new(3)`), freed with its owner.
@safe
private final class HashState: @unchecked Sendable {
    // ``SHA256`` changes it only while it has the only reference.
    private let context: OpaquePointer

    private init(context: OpaquePointer?) {
        guard let context = unsafe context else { fatalError("out of memory for the state of a hash") }
        unsafe self.context = context
    }

    convenience init() {
        unsafe self.init(context: EVP_MD_CTX_new())
        let status = unsafe EVP_DigestInit_ex2(context, Algorithm.sha256.method, nil)
        precondition(status == 1, "out of memory for the state of a hash")
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func copy() -> HashState {
        let copy = unsafe HashState(context: EVP_MD_CTX_new())
        let status = unsafe EVP_MD_CTX_copy_ex(copy.context, context)
        precondition(status == 1, "out of memory for the state of a hash")
        return copy
    }

    func update(_ bytes: Span<UInt8>) {
        let status = unsafe bytes.withUnsafeBytes {
            unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count)
        }
        precondition(status == 1, "SHA-256 needs no resources for further bytes")
    }

    /// Returns the digest. The state cannot be used further.
    func finish() -> [UInt8] {
        unsafe SHA256.digest { unsafe EVP_DigestFinal_ex(context, $0, nil) }
    }
}
