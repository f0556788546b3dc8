package import CaptureModel

/// Where people find a gateway between browsers and the rig.
package struct GatewayAddress: Hashable, Sendable {
    /// To open in a browser.
    package var address: String
    /// SHA-256 of a certificate that it has made itself, which people compare; nil otherwise.
    package var certificate: ContentDigest?
    /// Whether the gateway ends.
    package var isLast: Bool

    package init(address: String, certificate: ContentDigest?, isLast: Bool = false) {
        self.address = address
        self.certificate = certificate
        self.isLast = isLast
    }
}

/// The gateways that serve the rig, as they announce themselves. A value type.
///
/// | event | effect |
/// |---|---|
/// | a gateway announces itself | listed for ``lease`` from now; an earlier one of the same holder and address is replaced |
/// | … and ``limit`` others are listed | refused |
/// | a gateway says that it ends | no longer listed |
/// | ``lease`` has passed since its last announcement | no longer listed |
package struct GatewayList: Sendable {
    package static let limit = 16
    /// Three times the interval at which gateways announce themselves.
    package static let lease = Duration.seconds(90)

    private struct Place: Hashable {
        var name: String
        var address: String
    }

    private var entries: [Place: (announcement: GatewayAddress, ends: LocalTime)] = [:]

    package init() {}

    /// - Returns: The reason for a refusal; nil if the gateway is listed.
    package mutating func note(
        _ announcement: GatewayAddress, by name: String, at now: LocalTime
    ) -> String? {
        entries = entries.filter { $0.value.ends > now }
        let place = Place(name: name, address: announcement.address)
        guard !announcement.isLast else {
            entries[place] = nil
            return nil
        }
        guard entries[place] != nil || entries.count < Self.limit else {
            return "\(Self.limit) other gateways serve this rig; end one of them"
        }
        entries[place] = (announcement, now + Self.lease)
        return nil
    }

    /// In order of name and address.
    package func gateways(at now: LocalTime) -> [ServingGateway] {
        entries.filter { $0.value.ends > now }
            .map { ServingGateway(name: $0.name, announcement: $1.announcement) }
            .sorted { ($0.name, $0.announcement.address) < ($1.name, $1.announcement.address) }
    }
}

/// A gateway that serves the rig.
package struct ServingGateway: Hashable, Sendable {
    /// The holder of its key.
    package var name: String
    package var announcement: GatewayAddress
}
