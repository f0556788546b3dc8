import CaptureModel

/// Who this agent is: its node, and this one life of it.
struct AgentIdentity: Hashable, Sendable {
    var node: NodeName
    var epoch: Epoch
    /// `/proc/sys/kernel/random/boot_id`.
    var bootID: String
    /// Name and version, for people.
    var software: String
}
