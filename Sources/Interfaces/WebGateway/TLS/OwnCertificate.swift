internal import Foundation
internal import KeyFiles
internal import OpenSSL
internal import RigSecurity

/// The certificate that a gateway makes for itself, with an EC key (P-256) that stays when the certificate is renewed.
///
/// Nobody vouches for it: whoever opens the page compares its fingerprint with the one that `capctl web login` prints.
struct OwnCertificate {
    /// The longest that browsers take ([Apple](https://support.apple.com/en-us/103769)).
    static let validity: TimeInterval = 825 * 86_400
    /// It is renewed when less than this is left.
    static let reserve: TimeInterval = 30 * 86_400

    private static let certificateName = "certificate.pem"
    private static let keyName = "certificate.key"
    private static let operation = "make the gateway's certificate"
    private static let limit = 64 * 1024
    /// The most names that a certificate keeps of the one before it.
    static let nameLimit = 32

    let folder: String
    /// Names and numeric addresses of the gateway, the first of which names the certificate.
    let names: [String]

    /// Returns the certificate and its key as PEM. Makes the key if there is none, and the certificate if there is none, if it has not begun, if it
    /// ends soon, or if it has not all names of hosts. The new one then has those of the old one too, up to ``nameLimit``: two gateways of one user share
    /// this folder, and neither takes the other's names away.
    /// - Throws: `KeyFileError`, or `OpenSSLError` for a file that is not a key.
    func load(at now: Date) throws -> (chain: [UInt8], key: [UInt8]) {
        let place = try PrivateFolder.make(folder, for: .owner, to: Self.operation)
        let lock = try place.lock(Self.certificateName, to: Self.operation)
        defer { withExtendedLifetime(lock) {} }
        let key = try key(in: place)
        var all = names.map(Self.subjectName)
        if let found = try place.read(Self.certificateName, limit: Self.limit, to: Self.operation),
            let certificate = try? Certificate(pem: found.bytes), certificate.isFor(key)
        {
            let known = certificate.names
            // One whose validity cannot be read is replaced too.
            let validity = try? CertificateValidity(of: certificate)
            if isForAllHosts(known), validity?.covers(now, to: now.addingTimeInterval(Self.reserve)) == true {
                return (found.bytes, try key.pem)
            }
            let further = known.filter { !Self.isAddress($0) && !all.contains($0) }
            all += further.prefix(max(0, Self.nameLimit - all.count))
        }
        let made = try certificate(of: key, for: all, at: now).pem
        _ = try place.publish(made, as: Self.certificateName, tag: "next", .replacing, to: Self.operation)
        return (made, try key.pem)
    }

    private func key(in place: PrivateFolder) throws -> P256PrivateKey {
        if let found = try place.read(Self.keyName, limit: Self.limit, to: Self.operation) {
            return try P256PrivateKey(pem: found.bytes)
        }
        let key = try P256PrivateKey()
        _ = try place.publish(try key.pem, as: Self.keyName, tag: "next", .creating, to: Self.operation)
        return key
    }

    private func certificate(
        of key: P256PrivateKey, for all: [Certificate.SubjectName], at now: Date
    ) throws -> Certificate {
        let name = names.first { !$0.isEmpty } ?? "caprig"
        // Browsers whose clock is behind.
        let start = now.addingTimeInterval(-86_400)
        return try Certificate.selfSigned(
            by: key, commonName: String(String.UnicodeScalarView(name.unicodeScalars.prefix(64))), names: all,
            notBefore: Int64(start.timeIntervalSince1970),
            notAfter: Int64(start.addingTimeInterval(Self.validity).timeIntervalSince1970))
    }

    /// Whether a certificate of these names is for all hosts. Addresses come and go with the network, and whoever takes a certificate by its
    /// fingerprint takes it for any of them.
    private func isForAllHosts(_ known: [Certificate.SubjectName]) -> Bool {
        names.map(Self.subjectName).allSatisfy { Self.isAddress($0) || known.contains($0) }
    }

    private static func isAddress(_ name: Certificate.SubjectName) -> Bool {
        if case .address = name { true } else { false }
    }

    private static func subjectName(_ name: String) -> Certificate.SubjectName {
        guard let address = IPAddress(name) else { return .dns(name) }
        return .address(Array(address.bytes))
    }
}
