package import CaptureModel

/// Why a message, or a part of it, was not accepted or not believed although its fields are valid. The channel counts it.
package enum AgentFault: Hashable, Sendable, CustomStringConvertible {
    /// The report counts, and its shot says what is wrong.
    case wrongClaims(CaptureKey, [DoubtedClaim])
    /// Events arrived, but some before them did not. The node is asked for a hello.
    case missingEvents(NodeName)

    package var description: String {
        switch self {
        case .wrongClaims(let key, let claims):
            "the report of \(key) claims what cannot be true: \(claims.map(\.reason).joined(separator: "; "))"
        case .missingEvents(let node): "events of node '\(node)' after others that have not arrived"
        }
    }
}
