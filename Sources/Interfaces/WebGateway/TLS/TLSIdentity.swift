internal import CaptureModel
internal import NIOCore

#if TLS
internal import NIOSSL
internal import OpenSSL

/// A certificate with its private key, as connections use it.
struct TLSIdentity: Sendable {
    private let context: NIOSSLContext
    /// SHA-256 of the certificate in DER, as browsers show it.
    let fingerprint: ContentDigest

    /// - Parameters:
    ///   - chain: PEM: the gateway's certificate, then those that lead to a root.
    ///   - key: PEM, without a passphrase.
    /// - Throws: The error of NIOSSL; ``CertificateProblem`` if the chain is empty or the key is another certificate's.
    init(chain: [UInt8], key: [UInt8]) throws {
        let certificates = try NIOSSLCertificate.fromPEMBytes(chain)
        guard let leaf = certificates.first else { throw CertificateProblem.empty }
        let privateKey = try NIOSSLPrivateKey(bytes: key, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificates.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        // A browser that has gone does not say goodbye, and a gateway that ends does not wait for that.
        configuration.shutdownTimeout = .seconds(1)
        configuration.applicationProtocols = ["http/1.1"]
        context = try NIOSSLContext(configuration: configuration)
        guard let digest = ContentDigest(bytes: SHA256.hash(try leaf.toDERBytes())) else {
            throw CertificateProblem.empty
        }
        fingerprint = digest
    }

    /// Adds TLS to a connection that has just been accepted. Call on its event loop.
    func secure(_ channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
}
#else
/// What a build without TLS has instead: nothing makes one.
struct TLSIdentity: Sendable {
    let fingerprint: ContentDigest

    /// - Throws: ``MissingTLS``, always.
    init(chain: [UInt8], key: [UInt8]) throws { throw MissingTLS() }

    /// - Throws: ``MissingTLS``, always.
    func secure(_ channel: any Channel) throws { throw MissingTLS() }
}
#endif
