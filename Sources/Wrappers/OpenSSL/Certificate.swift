import COpenSSL

/// An X.509 certificate ([RFC 5280](https://www.rfc-editor.org/rfc/rfc5280)).
@safe
public final class Certificate: @unchecked Sendable {
    /// A name of what a certificate is for, of its extension `subjectAltName`.
    public enum SubjectName: Hashable, Sendable {
        case dns(String)
        /// The 4 or 16 bytes of a numeric address.
        case address([UInt8])
    }

    private static let reading = "read a certificate"

    // Never changes once it is signed or read.
    let handle: OpaquePointer

    /// `X509_new(3)`.
    init() throws(OpenSSLError) {
        unsafe handle = try created(X509_new(), "allocate a certificate")
    }

    /// Reads the first certificate of PEM (`PEM_read_bio_X509(3)`).
    /// - Throws: ``OpenSSLError`` for bytes that are none.
    public init(pem: [UInt8]) throws(OpenSSLError) {
        let file = try MemoryFile()
        try file.write(pem)
        unsafe handle = try created(PEM_read_bio_X509(file.handle, nil, nil, nil), Self.reading)
    }

    private init(owning handle: OpaquePointer) { unsafe self.handle = handle }

    /// Reads all certificates of PEM in their order, such as a server's with its chain.
    /// - Throws: ``OpenSSLError`` for bytes without a certificate. Damaged bytes after a certificate end the chain.
    public static func chain(pem: [UInt8]) throws(OpenSSLError) -> [Certificate] {
        let file = try MemoryFile()
        try file.write(pem)
        var chain = [unsafe Certificate(owning: try created(PEM_read_bio_X509(file.handle, nil, nil, nil), reading))]
        // Ends with an error in any case: there is no further certificate.
        defer { ERR_clear_error() }
        while let further = unsafe PEM_read_bio_X509(file.handle, nil, nil, nil) {
            chain.append(unsafe Certificate(owning: further))
        }
        return chain
    }

    deinit { unsafe X509_free(handle) }

    /// The certificate as PEM (`PEM_write_bio_X509(3)`).
    public var pem: [UInt8] {
        get throws(OpenSSLError) {
            let file = try MemoryFile()
            try check(unsafe PEM_write_bio_X509(file.handle, handle), "write a certificate")
            return file.bytes
        }
    }

    /// When it begins, in seconds since 1970 (`X509_get0_notBefore(3)`).
    /// - Throws: ``OpenSSLError`` if the certificate does not have a time there.
    public var notBefore: Int64 {
        get throws(OpenSSLError) {
            try unsafe Self.seconds(X509_get0_notBefore(handle), "read when a certificate begins")
        }
    }

    /// The last second at which it is valid, in seconds since 1970 (`X509_get0_notAfter(3)`).
    /// - Throws: ``OpenSSLError`` if the certificate does not have a time there.
    public var notAfter: Int64 {
        get throws(OpenSSLError) {
            try unsafe Self.seconds(X509_get0_notAfter(handle), "read when a certificate ends")
        }
    }

    /// `ASN1_TIME_diff(3)` from 1970.
    private static func seconds(
        _ time: UnsafePointer<ASN1_TIME>?, _ operation: String
    ) throws(OpenSSLError) -> Int64 {
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { throw OpenSSLError(operation) }
        defer { unsafe ASN1_TIME_free(epoch) }
        var (days, seconds) = (Int32(0), Int32(0))
        try check(unsafe ASN1_TIME_diff(&days, &seconds, epoch, time), operation)
        return Int64(days) * 86_400 + Int64(seconds)
    }

    /// Whether the certificate is for the public half of a key (`X509_check_private_key(3)`).
    public func isFor(_ key: P256PrivateKey) -> Bool {
        defer { ERR_clear_error() }
        return unsafe X509_check_private_key(handle, key.handle) == 1
    }

    /// The DNS names and addresses that it is for, in their order (`X509_get_ext_d2i(3)`); none without the extension.
    public var names: [SubjectName] {
        let found = unsafe X509_get_ext_d2i(handle, NID_subject_alt_name, nil, nil)
        guard let names = OpaquePointer(found) else { return [] }
        defer { unsafe GENERAL_NAMES_free(names) }
        return unsafe (0..<caprig_names_count(names)).compactMap { index in
            unsafe caprig_names_get(names, index).flatMap { unsafe SubjectName($0) }
        }
    }
}

extension Certificate.SubjectName {
    /// nil for a name of another kind.
    fileprivate init?(_ name: UnsafePointer<GENERAL_NAME>) {
        var kind: Int32 = 0
        guard let value = unsafe GENERAL_NAME_get0_value(name, &kind), kind == GEN_DNS || kind == GEN_IPADD else {
            return nil
        }
        let string = unsafe value.assumingMemoryBound(to: ASN1_STRING.self)
        let bytes = unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
        self = kind == GEN_DNS ? .dns(String(decoding: bytes, as: UTF8.self)) : .address(bytes)
    }
}
