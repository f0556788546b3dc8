/// Where a coordinator whose key is being replaced listens with the old one, for programs that do not know the new one yet.
public enum SecondPort {
    /// The distance of a channel's second port from its usual one: the coordinator has six channels.
    public static let offset: UInt16 = 6

    /// Returns the same endpoint with the second port; nil if there is no such port.
    /// - Parameter usual: An endpoint such as `tcp://192.168.10.1:7710`.
    public static func endpoint(of usual: String) -> String? {
        guard let colon = usual.lastIndex(of: ":"), let port = UInt16(usual[usual.index(after: colon)...]),
            case (let second, false) = port.addingReportingOverflow(offset)
        else { return nil }
        return "\(usual[...colon])\(second)"
    }
}
