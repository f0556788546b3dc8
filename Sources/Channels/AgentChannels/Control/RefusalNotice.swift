import CaptureModel
import RigSecurity

/// What the log says of refusals of the agent's key: one line for each change of the reason.
struct RefusalNotice {
    private var told: String?

    /// Takes note of a refusal.
    /// - Parameter standing: The coordinator's answer to the question why; nil without one.
    /// - Returns: The reason, if the log does not have it yet.
    mutating func note(_ standing: KeyStanding?) -> String? {
        let reason: String
        switch standing {
        case .refused(let sentence): reason = "the coordinator does not admit this node's key: \(sentence)"
        // Admitted between the refusal and the question.
        case .admitted(_, .node): return nil
        case .admitted(let name, let role):
            reason =
                "the coordinator does not admit this node's key: the rig knows it as \(role.rawValue) '\(name)', and only keys of "
                + "nodes may connect here; give this node another folder of keys, and join with a code for a node"
        case nil:
            // A reason that the coordinator has given still holds.
            guard told == nil else { return nil }
            reason =
                "the coordinator does not admit this node's key: the rig does not know it, or it was revoked; on the "
                + "coordinator, `capctl keys list` shows the keys, and `capctl node invite` makes a code to join with"
        }
        guard reason != told else { return nil }
        told = reason
        return reason
    }

    /// The coordinator has admitted the key.
    mutating func noteAdmission() { told = nil }
}
