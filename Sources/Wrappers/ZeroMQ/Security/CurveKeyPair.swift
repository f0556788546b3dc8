internal import CZeroMQ

/// A secret key and its public key.
public struct CurveKeyPair: Sendable {
    public let publicKey: CurvePublicKey
    public let secretKey: CurveSecretKey

    /// Generates a pair from the system's random numbers.
    /// - Throws: `ENOTSUP` if libzmq was built without CURVE.
    public static func generate() throws(ZeroMQError) -> CurveKeyPair {
        var publicText = [CChar](repeating: 0, count: Z85.keyLength + 1)
        var secretText = publicText
        guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0 else { throw .last("make a key pair") }
        guard let publicKey = CurvePublicKey(Z85.text(publicText)),
            let secretKey = CurveSecretKey(z85: Z85.text(secretText))
        else { throw ZeroMQError(code: "EINVAL", operation: "make a key pair") }
        return CurveKeyPair(publicKey: publicKey, secretKey: secretKey)
    }

    /// Computes the pair of a secret key.
    /// - Throws: `ENOTSUP` if libzmq was built without CURVE.
    public init(secretKey: CurveSecretKey) throws(ZeroMQError) {
        var text = [CChar](repeating: 0, count: Z85.keyLength + 1)
        guard unsafe zmq_curve_public(&text, secretKey.z85) == 0 else { throw .last("compute a public key") }
        guard let publicKey = CurvePublicKey(Z85.text(text)) else {
            throw ZeroMQError(code: "EINVAL", operation: "compute a public key")
        }
        self.init(publicKey: publicKey, secretKey: secretKey)
    }

    private init(publicKey: CurvePublicKey, secretKey: CurveSecretKey) {
        self.publicKey = publicKey
        self.secretKey = secretKey
    }
}
