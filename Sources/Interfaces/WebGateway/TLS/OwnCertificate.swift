internal import Crypto
internal import Foundation
internal import KeyFiles
internal import RigSecurity
internal import SwiftASN1
internal import X509

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

    /// Returns the certificate and its key as PEM. Makes the key if there is none, and the certificate if there is none, if it ends soon, or
    /// if it has not all names of hosts. The new one then has those of the old one too, up to ``nameLimit``: two gateways of one user share
    /// this folder, and neither takes the other's names away.
    /// - Throws: `KeyFileError`, or the error of X509 for a file that is no certificate.
    func load(at now: Date) throws -> (chain: [UInt8], key: [UInt8]) {
        let place = try PrivateFolder.make(folder, for: .owner, to: Self.operation)
        let lock = try place.lock(Self.certificateName, to: Self.operation)
        defer { withExtendedLifetime(lock) {} }
        let key = try key(in: place)
        var all = names.map(Self.generalName)
        if let found = try place.read(Self.certificateName, limit: Self.limit, to: Self.operation),
            let text = String(validating: found.bytes, as: UTF8.self),
            let certificate = try? Certificate(pemEncoded: text),
            certificate.publicKey == Certificate.PublicKey(key.publicKey)
        {
            let known = Self.names(of: certificate)
            if isForAllHosts(known), certificate.notValidAfter > now.addingTimeInterval(Self.reserve) {
                return (found.bytes, Array(key.pemRepresentation.utf8))
            }
            let further = known.filter { !Self.isAddress($0) && !all.contains($0) }
            all += further.prefix(max(0, Self.nameLimit - all.count))
        }
        let made = Array(try certificate(of: key, for: all, at: now).serializeAsPEM().pemString.utf8)
        _ = try place.publish(made, as: Self.certificateName, tag: "next", .replacing, to: Self.operation)
        return (made, Array(key.pemRepresentation.utf8))
    }

    private func key(in place: PrivateFolder) throws -> P256.Signing.PrivateKey {
        if let found = try place.read(Self.keyName, limit: Self.limit, to: Self.operation) {
            return try P256.Signing.PrivateKey(pemRepresentation: String(decoding: found.bytes, as: UTF8.self))
        }
        let key = P256.Signing.PrivateKey()
        _ = try place.publish(
            Array(key.pemRepresentation.utf8), as: Self.keyName, tag: "next", .creating, to: Self.operation)
        return key
    }

    private func certificate(
        of key: P256.Signing.PrivateKey, for all: [GeneralName], at now: Date
    ) throws -> Certificate {
        let name = try DistinguishedName { CommonName(String((names.first ?? "caprig").prefix(64))) }
        return try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            // Browsers whose clock is behind.
            notValidBefore: now.addingTimeInterval(-86_400),
            notValidAfter: now.addingTimeInterval(Self.validity - 86_400),
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(all)
            }, issuerPrivateKey: .init(key))
    }

    /// Whether a certificate of these names is for all hosts. Addresses come and go with the network, and whoever takes a certificate by its
    /// fingerprint takes it for any of them.
    private func isForAllHosts(_ known: [GeneralName]) -> Bool {
        names.map(Self.generalName).allSatisfy { Self.isAddress($0) || known.contains($0) }
    }

    private static func names(of certificate: Certificate) -> [GeneralName] {
        (try? certificate.extensions.subjectAlternativeNames).map(Array.init) ?? []
    }

    private static func isAddress(_ name: GeneralName) -> Bool {
        if case .ipAddress = name { true } else { false }
    }

    private static func generalName(_ name: String) -> GeneralName {
        guard let address = IPAddress(name) else { return .dnsName(name) }
        return .ipAddress(ASN1OctetString(contentBytes: address.bytes[...]))
    }
}
