internal import Foundation
internal import OpenSSL

/// The time in which a certificate is valid, or all certificates of a chain at once. Both ends belong to it ([RFC 5280,
/// 4.1.2.5](https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5)).
struct CertificateValidity: Hashable, Sendable {
    /// Where an instant is.
    enum Standing: Hashable, Sendable {
        /// Before its beginning, as when the clock was set back, or was ahead when the certificate was made.
        case notYetValid
        case valid
        case ended
    }

    /// Seconds since 1970.
    let notBefore: Int64
    /// Seconds since 1970. Before ``notBefore`` if there is no instant at which a whole chain is valid.
    let notAfter: Int64

    /// - Throws: `OpenSSLError` if the certificate does not say when it is valid.
    init(of certificate: Certificate) throws(OpenSSLError) {
        notBefore = try certificate.notBefore
        notAfter = try certificate.notAfter
    }

    /// - Parameter pem: A certificate and those that lead to a root.
    /// - Throws: `OpenSSLError` if there is none, or one does not say when it is valid.
    init(ofChain pem: [UInt8]) throws(OpenSSLError) {
        var common: (notBefore: Int64, notAfter: Int64) = (.min, .max)
        for certificate in try Certificate.chain(pem: pem) {
            let validity = try Self(of: certificate)
            common = (max(common.notBefore, validity.notBefore), min(common.notAfter, validity.notAfter))
        }
        (notBefore, notAfter) = common
    }

    func standing(at now: Date) -> Standing {
        let seconds = now.timeIntervalSince1970
        // A chain that is never valid as a whole has ended, since waiting does not help.
        if seconds > Double(notAfter) { return .ended }
        if seconds < Double(notBefore) { return notAfter < notBefore ? .ended : .notYetValid }
        return .valid
    }

    /// Whether it is valid from one instant to another.
    func covers(_ start: Date, to end: Date) -> Bool {
        standing(at: start) == .valid && standing(at: end) == .valid
    }
}
