import CaptureModel
import PosixSupport
import RigSecurity

extension JoinEndpoint {
    /// Returns where other machines reach a port of this one: the address that it listens on, or for all addresses those of
    /// its networks now.
    /// - Throws: `unsupportedSettings` if there is none.
    static func reachable(host: String, port: UInt16) throws(RigProblem) -> [JoinEndpoint] {
        if let address = IPAddress(host), !address.isUnspecified { return [try endpoint(.address(address), port)] }
        let addresses: [String]
        do {
            addresses = try NetworkAddresses.ofThisMachine()
        } catch {
            throw RigProblem(.inputOutput, "the addresses of this machine cannot be listed: \(error)")
        }
        var endpoints: [JoinEndpoint] = []
        for text in addresses.prefix(JoinCode.endpointLimit) {
            guard let address = IPAddress(text) else { continue }
            endpoints.append(try endpoint(.address(address), port))
        }
        guard !endpoints.isEmpty else {
            throw RigProblem(
                .unsupportedSettings,
                "the coordinator's machine has no address in a network, so no other machine can join; connect it, or "
                    + "set listen.host")
        }
        return endpoints
    }

    private static func endpoint(_ host: JoinHost, _ port: UInt16) throws(RigProblem) -> JoinEndpoint {
        do {
            return try JoinEndpoint(host: host, port: port)
        } catch {
            throw RigProblem(.unsupportedSettings, "no join code can be made: \(error)")
        }
    }
}
