internal import NIOCore

/// Why a certificate cannot be used.
enum CertificateProblem: Error, CustomStringConvertible {
    case empty

    var description: String { "the file has no certificate in PEM format" }
}
