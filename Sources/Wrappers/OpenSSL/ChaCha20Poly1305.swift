import COpenSSL

/// Encrypts and authenticates bytes with ChaCha20-Poly1305 ([RFC 8439](https://www.rfc-editor.org/rfc/rfc8439)).
///
/// Sealed bytes are the nonce, the ciphertext and the tag, one after the other.
public enum ChaCha20Poly1305 {
    /// Bytes of a key.
    public static let keyByteCount = 32
    static let nonceByteCount = 12
    static let tagByteCount = 16

    /// Encrypts bytes with a random nonce.
    /// - Parameter key: ``keyByteCount`` bytes.
    public static func seal(_ content: [UInt8], key: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try seal(content, authenticating: [], nonce: RandomBytes.make(count: nonceByteCount), key: key)
    }

    /// Decrypts sealed bytes.
    /// - Parameter key: ``keyByteCount`` bytes.
    /// - Throws: ``OpenSSLError`` if the bytes were sealed with another key, or were changed.
    public static func open(_ sealed: [UInt8], key: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try open(sealed, authenticating: [], key: key)
    }

    /// - Parameter header: Bytes that are authenticated and not encrypted.
    static func seal(
        _ content: [UInt8], authenticating header: [UInt8], nonce: [UInt8], key: [UInt8]
    ) throws(OpenSSLError) -> [UInt8] {
        let cipher = try Cipher(.encrypting)
        try cipher.begin(key: key, nonce: nonce)
        try cipher.authenticate(header)
        let ciphertext = try cipher.process(content)
        try cipher.finish()
        return nonce + ciphertext + (try cipher.tag)
    }

    static func open(_ sealed: [UInt8], authenticating header: [UInt8], key: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        guard sealed.count >= nonceByteCount + tagByteCount else {
            throw OpenSSLError(
                Cipher.Direction.decrypting.rawValue, reason: "\(sealed.count) bytes are too few for nonce and tag")
        }
        let cipher = try Cipher(.decrypting)
        try cipher.begin(key: key, nonce: Array(sealed.prefix(nonceByteCount)))
        try cipher.expect(tag: Array(sealed.suffix(tagByteCount)))
        try cipher.authenticate(header)
        let content = try cipher.process(Array(sealed.dropFirst(nonceByteCount).dropLast(tagByteCount)))
        try cipher.finish()
        return content
    }
}

/// The state of one encryption or decryption (`EVP_CIPHER_CTX_new(3)`), freed with its owner.
@safe
private struct Cipher: ~Copyable {
    enum Direction: String {
        case encrypting = "encrypt with ChaCha20-Poly1305"
        case decrypting = "decrypt with ChaCha20-Poly1305"
    }

    private let context: OpaquePointer
    private let direction: Direction

    init(_ direction: Direction) throws(OpenSSLError) {
        unsafe context = try created(EVP_CIPHER_CTX_new(), direction.rawValue)
        self.direction = direction
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// `EVP_CipherInit_ex2(3)`.
    func begin(key: [UInt8], nonce: [UInt8]) throws(OpenSSLError) {
        guard key.count == ChaCha20Poly1305.keyByteCount, nonce.count == ChaCha20Poly1305.nonceByteCount else {
            throw OpenSSLError(
                direction.rawValue, reason: "a key of \(key.count) and a nonce of \(nonce.count) bytes do not fit")
        }
        try check(
            unsafe EVP_CipherInit_ex2(
                context, EVP_chacha20_poly1305(), key, nonce, direction == .encrypting ? 1 : 0, nil),
            direction.rawValue)
    }

    /// `EVP_CipherUpdate(3)` without output.
    func authenticate(_ header: [UInt8]) throws(OpenSSLError) {
        guard !header.isEmpty else { return }
        var count: Int32 = 0
        try check(unsafe EVP_CipherUpdate(context, nil, &count, header, try size(of: header)), direction.rawValue)
    }

    /// Encrypts or decrypts (`EVP_CipherUpdate(3)`).
    func process(_ bytes: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        var (output, count) = ([UInt8](repeating: 0, count: bytes.count), Int32(0))
        try check(unsafe EVP_CipherUpdate(context, &output, &count, bytes, try size(of: bytes)), direction.rawValue)
        return output
    }

    /// Computes the tag, or compares it with the expected one (`EVP_CipherFinal_ex(3)`).
    func finish() throws(OpenSSLError) {
        var (rest, count) = ([UInt8](repeating: 0, count: ChaCha20Poly1305.tagByteCount), Int32(0))
        guard unsafe EVP_CipherFinal_ex(context, &rest, &count) == 1 else {
            guard direction == .encrypting else {
                ERR_clear_error()
                throw OpenSSLError(direction.rawValue, reason: "the key is another one, or the bytes were changed")
            }
            throw OpenSSLError(direction.rawValue)
        }
    }

    /// `EVP_CTRL_AEAD_GET_TAG` of `EVP_EncryptInit(3)`.
    var tag: [UInt8] {
        get throws(OpenSSLError) {
            var tag = [UInt8](repeating: 0, count: ChaCha20Poly1305.tagByteCount)
            try check(
                unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag), direction.rawValue)
            return tag
        }
    }

    /// `EVP_CTRL_AEAD_SET_TAG` of `EVP_EncryptInit(3)`.
    func expect(tag: [UInt8]) throws(OpenSSLError) {
        var tag = tag
        try check(
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag), direction.rawValue)
    }

    private func size(of bytes: [UInt8]) throws(OpenSSLError) -> Int32 {
        guard let size = Int32(exactly: bytes.count) else {
            throw OpenSSLError(direction.rawValue, reason: "\(bytes.count) bytes are too many at once")
        }
        return size
    }
}
