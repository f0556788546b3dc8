import CaptureModel
import RigConfiguration
import RigSecurity

/// What is known of why a connection of the agent was refused.
enum RefusalCause: Hashable, Sendable {
    /// The coordinator has said whether it admits the agent's key.
    case standing(KeyStanding)
    /// The refusing endpoint is another channel of the coordinator than its control channel.
    case wrongPort(TCPEndpoint, control: TCPEndpoint)
    /// Nothing at the refusing endpoint's machine says why.
    case unknown(TCPEndpoint)
}

/// What the log says of refusals of the agent's connections: one line for each change of the reason.
struct RefusalNotice {
    private var told: String?

    /// Takes note of a refusal.
    /// - Returns: The reason, if the log does not have it yet.
    mutating func note(_ cause: RefusalCause) -> String? {
        // A reason that the coordinator has given still holds while it does not answer.
        if case .unknown = cause, told != nil { return nil }
        guard let reason = Self.reason(cause), reason != told else { return nil }
        told = reason
        return reason
    }

    /// The coordinator has admitted the key.
    mutating func noteAdmission() { told = nil }

    private static func reason(_ cause: RefusalCause) -> String? {
        switch cause {
        case .standing(.refused(let sentence)): "the coordinator does not admit this node's key: \(sentence)"
        // Admitted between the refusal and the question.
        case .standing(.admitted(_, .node)): nil
        case .standing(.admitted(let name, let role)):
            "the coordinator does not admit this node's key: the rig knows it as \(role.rawValue) '\(name)', and only keys of "
                + "nodes may connect here; give this node another folder of keys, and join with a code for a node"
        case .wrongPort(let endpoint, let control):
            "\(endpoint) is the coordinator's, but not its control channel, to which nodes connect; set `coordinator` in "
                + "this node's configuration to \(control)"
        case .unknown(let endpoint):
            "\(endpoint) refuses this node, and no coordinator says why: either this is not the port of its control channel "
                + "(\(CoordinatorPort.control.standard), unless its `listen.basePort` is another), or the rig does not know this "
                + "node's key, or it was revoked; on the coordinator, `capctl keys list` shows the keys, and `capctl node invite` "
                + "makes a code to join with"
        }
    }
}
