import COpenSSL

extension Certificate {
    private static let operation = "make a certificate"

    /// Makes a certificate of version 3 for a TLS server, which its own key signs with ECDSA and SHA-256 (`X509_sign(3)`).
    ///
    /// Its serial number is random. Its extensions are `basicConstraints` (critical: no authority), `keyUsage` (critical: signatures),
    /// `extendedKeyUsage` (TLS servers) and `subjectAltName`.
    /// - Parameters:
    ///   - commonName: Subject and issuer: 1 to 64 characters.
    ///   - notBefore: Seconds since 1970.
    ///   - notAfter: Seconds since 1970.
    /// - Throws: ``OpenSSLError`` if a parameter cannot be in a certificate.
    public static func selfSigned(
        by key: P256PrivateKey, commonName: String, names: [SubjectName], notBefore: Int64, notAfter: Int64
    ) throws(OpenSSLError) -> Certificate {
        let certificate = try Certificate()
        let handle = unsafe certificate.handle
        try check(unsafe X509_set_version(handle, Int(X509_VERSION_3)), operation)
        try certificate.setRandomSerialNumber()
        unsafe _ = try createdTime(ASN1_TIME_set(X509_getm_notBefore(handle), Int(notBefore)))
        unsafe _ = try createdTime(ASN1_TIME_set(X509_getm_notAfter(handle), Int(notAfter)))
        try certificate.setSubjectAndIssuer(commonName)
        try check(unsafe X509_set_pubkey(handle, key.handle), operation)
        for (nid, value) in [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"),
        ] {
            try check(unsafe caprig_add_extension(handle, nid, value), operation)
        }
        try certificate.add(names)
        guard unsafe X509_sign(handle, key.handle, EVP_sha256()) > 0 else { throw OpenSSLError(operation) }
        return certificate
    }

    /// Sets 20 bytes, the most that there may be (`BN_rand(3)`).
    private func setRandomSerialNumber() throws(OpenSSLError) {
        let number = unsafe try created(BN_new(), Self.operation)
        defer { unsafe BN_free(number) }
        // The highest bit of 160 is the sign.
        try check(unsafe BN_rand(number, 159, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY), Self.operation)
        guard unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(handle)) != nil else {
            throw OpenSSLError(Self.operation)
        }
    }

    /// `X509_NAME_add_entry_by_NID(3)`.
    private func setSubjectAndIssuer(_ commonName: String) throws(OpenSSLError) {
        let name = unsafe try created(X509_NAME_new(), Self.operation)
        defer { unsafe X509_NAME_free(name) }
        let bytes = Array(commonName.utf8)
        guard let count = Int32(exactly: bytes.count) else {
            throw OpenSSLError(Self.operation, reason: "its name is too long")
        }
        try check(
            unsafe X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, bytes, count, -1, 0), Self.operation)
        try check(unsafe X509_set_subject_name(handle, name), Self.operation)
        try check(unsafe X509_set_issuer_name(handle, name), Self.operation)
    }

    /// Adds the extension `subjectAltName` (`X509_add1_ext_i2d(3)`).
    private func add(_ names: [SubjectName]) throws(OpenSSLError) {
        guard let all = unsafe caprig_names_new() else { throw OpenSSLError(Self.operation) }
        defer { unsafe GENERAL_NAMES_free(all) }
        for name in names {
            guard let entry = unsafe try Self.entry(name) else { throw OpenSSLError(Self.operation) }
            guard unsafe caprig_names_append(all, entry) == 1 else {
                unsafe GENERAL_NAME_free(entry)
                throw OpenSSLError(Self.operation)
            }
        }
        try check(
            unsafe X509_add1_ext_i2d(handle, NID_subject_alt_name, UnsafeMutableRawPointer(all), 0, 0), Self.operation)
    }

    /// Returns a name that the caller frees (`GENERAL_NAME_set0_value(3)`).
    private static func entry(_ name: SubjectName) throws(OpenSSLError) -> UnsafeMutablePointer<GENERAL_NAME>? {
        let (kind, type, bytes) =
            switch name {
            case .dns(let name): (GEN_DNS, V_ASN1_IA5STRING, Array(name.utf8))
            case .address(let bytes): (GEN_IPADD, V_ASN1_OCTET_STRING, bytes)
            }
        guard let count = Int32(exactly: bytes.count) else {
            throw OpenSSLError(operation, reason: "a name is too long")
        }
        guard let entry = unsafe GENERAL_NAME_new() else { return nil }
        guard let value = unsafe ASN1_STRING_type_new(type) else {
            unsafe GENERAL_NAME_free(entry)
            return nil
        }
        guard unsafe ASN1_STRING_set(value, bytes, count) == 1 else {
            unsafe ASN1_STRING_free(value)
            unsafe GENERAL_NAME_free(entry)
            return nil
        }
        unsafe GENERAL_NAME_set0_value(entry, kind, value)
        return unsafe entry
    }

    private static func createdTime(_ time: UnsafeMutablePointer<ASN1_TIME>?) throws(OpenSSLError) {
        if unsafe time == nil { throw OpenSSLError(operation) }
    }
}
