public import CaptureModel
public import RigClient

/// A gateway that serves a rig.
public struct GatewayDocument: Encodable, Sendable {
    /// To open in a browser.
    var address: String
    /// Of a certificate that it has made itself, as browsers show it; absent otherwise.
    var certificateSHA256: String?
    /// The holder of its key.
    var name: String

    public init(_ gateway: GatewayStatus) {
        address = gateway.address
        certificateSHA256 = gateway.certificate.map(Self.fingerprint)
        name = gateway.name
    }

    /// `AB:CD:…`, as browsers and `openssl x509 -fingerprint -sha256` show it.
    public static func fingerprint(_ digest: ContentDigest) -> String {
        digest.bytes.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count == 1 ? "0" + text : text
        }.joined(separator: ":")
    }
}
