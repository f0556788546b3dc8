/// The version of the protocol that this build uses.
public enum ProtocolVersion {
    /// Increases if a peer that does not know a change would misread messages. Adding a field or message does not increase it.
    public static let current: UInt32 = 4
}

extension FieldReader {
    /// Checks that the version of a peer is that of this build.
    /// - Parameter speaker: This end of the channel, such as `the coordinator`.
    public func version(_ version: UInt32, _ field: String, of speaker: String) throws(WireError) {
        guard version == ProtocolVersion.current else {
            throw invalid(
                field, "is \(version), \(speaker) speaks \(ProtocolVersion.current); install equal versions")
        }
    }
}
