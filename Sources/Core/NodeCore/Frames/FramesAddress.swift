package import CaptureModel

/// The address at which viewers find the frames channel.
package enum FramesAddress {
    /// Parses the endpoint to which the socket is bound.
    /// - Parameter endpoint: As libzmq reports it, such as `tcp://0.0.0.0:43117`.
    package static func bound(_ endpoint: String) -> FramesStatus {
        let colon = endpoint.lastIndex(of: ":") ?? endpoint.endIndex
        let port = UInt16(endpoint[colon...].dropFirst()) ?? 0
        let host = endpoint[..<colon].dropFirst("tcp://".count).filter { $0 != "[" && $0 != "]" }
        return FramesStatus(host: String(host), port: port)
    }

    /// Returns the host that viewers on other machines can connect to.
    ///
    /// If the socket is bound to every address, this is the address that reaches the coordinator, because viewers reach
    /// the coordinator too. A loopback address is not used, because viewers would look for the channel on their own
    /// machine.
    /// - Parameters:
    ///   - advertise: The host that the configuration names.
    ///   - localAddress: The local address of the connection to the coordinator.
    ///   - otherAddress: An address of this machine that others can reach.
    package static func reachable(
        bound: String, advertise: String?, localAddress: String?, otherAddress: @autoclosure () -> String?
    ) -> String {
        if let advertise { return advertise }
        guard bound == "0.0.0.0" || bound == "::" else { return bound }
        if let localAddress, isReachable(localAddress), bound == "::" || !localAddress.contains(":") {
            return localAddress
        }
        return otherAddress() ?? localAddress ?? "127.0.0.1"
    }

    private static func isReachable(_ address: String) -> Bool {
        !address.hasPrefix("127.") && address != "::1" && !address.contains("%")
    }
}
