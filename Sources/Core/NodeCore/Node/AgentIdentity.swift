package import CaptureModel

/// Who this agent is: its node, and this one life of it.
package struct AgentIdentity: Hashable, Sendable {
    package var node: NodeName
    package var epoch: Epoch
    /// `/proc/sys/kernel/random/boot_id`.
    package var bootID: String
    /// Name and version, for people.
    package var software: String

    package init(node: NodeName, epoch: Epoch, bootID: String, software: String) {
        self.node = node
        self.epoch = epoch
        self.bootID = bootID
        self.software = software
    }
}
