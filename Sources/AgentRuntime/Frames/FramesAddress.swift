import PosixSupport
import RigWire

/// Where viewers are told to find the frames channel.
enum FramesAddress {
    /// - Parameters:
    ///   - endpoint: What the socket is bound to, such as `tcp://0.0.0.0:43117`.
    ///   - advertise: The host to name instead; nil for the bound one, or this machine's name where that is every address.
    static func reachable(_ endpoint: String, advertise: String?) -> FramesStatus {
        let colon = endpoint.lastIndex(of: ":") ?? endpoint.endIndex
        let port = UInt16(endpoint[colon...].dropFirst()) ?? 0
        let bound = endpoint[..<colon].dropFirst("tcp://".count).filter { $0 != "[" && $0 != "]" }
        let host = advertise ?? (["0.0.0.0", "::", "*", ""].contains(String(bound)) ? HostName.ofThisMachine() : nil)
        return FramesStatus(host: host ?? String(bound), port: port)
    }
}
