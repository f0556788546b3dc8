public import CaptureModel
internal import FoundationEssentials
internal import RigProtocol
internal import RigWire

/// Gateways between browsers and the rig.
extension RigClient {
    /// How often a gateway announces itself. The rig lists it three times as long.
    public static let announcementInterval = Duration.seconds(30)

    /// Has the rig list a gateway in its status. For a client with a key of role `dashboard`.
    /// - Parameters:
    ///   - address: To open in a browser.
    ///   - certificate: SHA-256 in DER of a certificate that it has made itself; nil otherwise.
    public func announceGateway(address: String, certificate: ContentDigest?) async throws(RigClientError) {
        try await announce(address, certificate, isLast: false)
    }

    /// Has the rig list a gateway no longer.
    public func withdrawGateway(address: String) async throws(RigClientError) {
        try await announce(address, nil, isLast: true)
    }

    private func announce(
        _ address: String, _ certificate: ContentDigest?, isLast: Bool
    ) async throws(RigClientError) {
        var request = WireAnnounceGateway()
        request.address = address
        request.ends = isLast
        if let certificate { request.certificateSha256 = Data(certificate.bytes) }
        let answer = try await ask(.announceGateway(request), operation: "announce the gateway")
        try reading(answer, operation: "announce the gateway") { body throws(WireError) -> Void? in
            guard case .gatewayNoted = body else { return nil }
            return ()
        }
    }
}
