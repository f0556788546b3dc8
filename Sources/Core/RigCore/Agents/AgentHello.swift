package import CaptureModel

/// What an agent says to be part of the rig.
package struct AgentHello: Sendable {
    package var node: NodeName
    package var agent: ConnectedAgent
    /// Every device that the node configures.
    package var devices: [DeviceStatus]
    /// Captures of its spool, oldest shot first.
    package var inventory: [CaptureReport]
    /// Whether the spool holds captures that the inventory does not list.
    package var isInventoryTruncated: Bool

    package init(
        node: NodeName, agent: ConnectedAgent, devices: [DeviceStatus], inventory: [CaptureReport] = [],
        isInventoryTruncated: Bool = false
    ) {
        self.node = node
        self.agent = agent
        self.devices = devices
        self.inventory = inventory
        self.isInventoryTruncated = isInventoryTruncated
    }
}
