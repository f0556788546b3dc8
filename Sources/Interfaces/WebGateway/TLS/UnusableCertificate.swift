/// A certificate that a gateway cannot use: which, why, and what to do.
public struct UnusableCertificate: Error, CustomStringConvertible {
    public let description: String
}
