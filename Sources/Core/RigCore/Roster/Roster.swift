package import CaptureModel

/// All nodes and devices of the rig, connected or not. An absent camera stays a part of the rig until it is forgotten.
///
/// A value without a clock or a disk. ``Rig`` owns it, feeds it messages and writes its persistent part.
package struct Roster: Sendable {
    /// Limits on the nodes, and on the devices of each. A hello beyond them is refused.
    package static let nodeLimit = 4096
    static let deviceLimit = 256

    private(set) var nodes: [NodeName: RosterNode] = [:]
    /// Epochs that a later agent of the same node has replaced. Their messages are dropped, and their hellos are
    /// refused while the later agent is connected.
    private var superseded: [NodeName: [Epoch]] = [:]
    /// Number of replaced epochs of a node that are kept. The oldest is removed first.
    private static let supersededLimit = 64

    /// The result of a hello.
    enum HelloResult {
        /// - Parameters:
        ///   - isNew: The agent was not connected before.
        ///   - hasRestarted: Another run of the agent was connected before.
        case accepted(isNew: Bool, hasRestarted: Bool, rosterChanged: Bool)
        case refused(RigProblem)
    }

    init() {}

    /// Returns the time from frame to frame of a device that streams; nil if it has none.
    func frameInterval(of device: DeviceID) -> Duration? {
        nodes[device.node]?.devices[device.device]?.condition.frameInterval
    }

    /// Restores a persisted roster. Every node is unreachable until its agent says hello.
    package init(restoring devices: [DeviceDescription]) {
        for device in devices {
            nodes[device.id.node, default: RosterNode()].devices[device.id.device] = RosterDevice(
                description: device, condition: Self.unreachable(device.id.node))
        }
    }

    mutating func hello(
        from node: NodeName, agent: ConnectedAgent, devices: [RosterDevice], at now: LocalTime, timeout: Duration
    ) -> HelloResult {
        if let problem = objection(to: node, agent: agent, devices: devices, at: now, timeout: timeout) {
            return .refused(problem)
        }
        let known = nodes[node]
        let isNew = known?.agent?.epoch != agent.epoch
        let hasRestarted = known?.lastEpoch.map { $0 != agent.epoch } ?? false
        if let previous = known?.agent?.epoch, isNew {
            superseded[node] = Array(((superseded[node] ?? []) + [previous]).suffix(Self.supersededLimit))
        }
        superseded[node]?.removeAll { $0 == agent.epoch }
        let before = known?.devices.mapValues(\.description)
        nodes[node, default: RosterNode()].agent = agent
        nodes[node]?.lastHeard = now
        nodes[node]?.lastEpoch = agent.epoch
        for device in devices {
            nodes[node]?.devices[device.description.id.device] = device
        }
        markUnlisted(node, devices)
        let rosterChanged = before != nodes[node]?.devices.mapValues(\.description)
        return .accepted(isNew: isNew, hasRestarted: hasRestarted, rosterChanged: rosterChanged)
    }

    private func objection(
        to node: NodeName, agent: ConnectedAgent, devices: [RosterDevice], at now: LocalTime, timeout: Duration
    ) -> RigProblem? {
        if nodes[node]?.agent != nil, superseded[node]?.contains(agent.epoch) == true {
            return RigProblem(
                .conflict,
                "another agent has joined as node '\(node)'; two agents must not share a node name; end one of them"
            )
        }
        if let current = nodes[node]?.agent, current.bootID != agent.bootID, isAlive(node, at: now, timeout: timeout) {
            return RigProblem(
                .conflict,
                "node '\(node)' runs on another machine; give this machine another node name (cloned card?)")
        }
        let names = Set(devices.map(\.description.id.device)).union(nodes[node]?.devices.keys.map(\.self) ?? [])
        if nodes[node] == nil && nodes.count >= Self.nodeLimit || names.count > Self.deviceLimit {
            return RigProblem(
                .protocolViolation,
                "the roster has room for \(Self.nodeLimit) nodes with \(Self.deviceLimit) devices each; remove old devices with `capctl devices forget`"
            )
        }
        return nil
    }

    private func isAlive(_ node: NodeName, at now: LocalTime, timeout: Duration) -> Bool {
        guard let lastHeard = nodes[node]?.lastHeard else { return false }
        return now - lastHeard < timeout
    }

    /// Notes a sign of life.
    /// - Returns: false if `epoch` is not the node's connected one.
    mutating func heard(from node: NodeName, epoch: Epoch, at now: LocalTime) -> Bool {
        guard nodes[node]?.agent?.epoch == epoch else { return false }
        nodes[node]?.lastHeard = now
        return true
    }

    /// Updates a node's devices from its list. Devices that are not in the list stay as they are, because the devices
    /// of an agent do not change during its run.
    /// - Returns: The devices whose state changed.
    mutating func update(_ node: NodeName, devices: [RosterDevice]) -> [RosterDevice] {
        devices.filter { device in
            let name = device.description.id.device
            let old = nodes[node]?.devices[name]
            guard old != nil || (nodes[node]?.devices.count ?? 0) < Self.deviceLimit else { return false }
            nodes[node]?.devices[name] = device
            return old?.condition.state != device.condition.state
        }
    }

    /// Marks the devices that a hello does not list. A hello lists all devices of a node.
    private mutating func markUnlisted(_ node: NodeName, _ listed: [RosterDevice]) {
        let names = Set(listed.map(\.description.id.device))
        for name in nodes[node]?.devices.keys.filter({ !names.contains($0) }) ?? [] {
            nodes[node]?.devices[name]?.condition = Self.notConfigured(DeviceID(node: node, device: name))
        }
    }

    mutating func updateAgent(of node: NodeName, _ change: (inout ConnectedAgent) -> Void) {
        guard var agent = nodes[node]?.agent else { return }
        change(&agent)
        nodes[node]?.agent = agent
    }

    /// Marks as unreachable every node that has been silent for `timeout`. A node without devices is removed, so that
    /// names that only said hello do not fill the roster.
    /// - Returns: The nodes that have just gone.
    mutating func expire(at now: LocalTime, timeout: Duration) -> [NodeName] {
        let gone = nodes.filter { $0.value.agent != nil && !isAlive($0.key, at: now, timeout: timeout) }.map(\.key)
        for node in gone {
            nodes[node]?.agent = nil
            // A device that was not configured at the node's last message stays marked so.
            for (name, device) in nodes[node]?.devices ?? [:] where device.condition.state != .notConfigured {
                nodes[node]?.devices[name]?.condition = Self.unreachable(node)
            }
            dropIfEmpty(node)
        }
        return gone.sorted()
    }

    /// Removes devices, and nodes that have none left and no agent.
    /// - Returns: The devices that were present.
    /// - Throws: `conflict` if a connected node still has one of them, which would return. Then all stay.
    mutating func forget(_ devices: [DeviceID]) throws(RigProblem) -> [DeviceID] {
        let present = devices.filter { id in
            guard let node = nodes[id.node], node.agent != nil, let device = node.devices[id.device] else {
                return false
            }
            return device.condition.state != .notConfigured
        }
        if let first = present.first {
            throw RigProblem(
                .conflict,
                "nothing was removed: \(present.map(\.description).joined(separator: ", ")): node '\(first.node)' is "
                    + "connected and has it; remove it from that node's configuration and restart the agent, or end the agent"
            )
        }
        let forgotten = devices.filter { nodes[$0.node]?.devices.removeValue(forKey: $0.device) != nil }
        for node in Set(forgotten.map(\.node)) { dropIfEmpty(node) }
        return forgotten
    }

    private mutating func dropIfEmpty(_ node: NodeName) {
        guard nodes[node]?.devices.isEmpty == true, nodes[node]?.agent == nil else { return }
        nodes[node] = nil
        superseded[node] = nil
    }

    /// Every device, in order of id.
    var devices: [RosterDevice] {
        nodes.values.flatMap(\.devices.values).sorted { $0.description.id < $1.description.id }
    }

    /// Returns a device as it is; nil if no node configures it.
    func configured(_ device: DeviceID) -> DeviceDescription? {
        guard let found = nodes[device.node]?.devices[device.device], found.condition.state != .notConfigured else {
            return nil
        }
        return found.description
    }

    private static func notConfigured(_ device: DeviceID) -> DeviceCondition {
        DeviceCondition(
            state: .notConfigured,
            reason: "node '\(device.node)' no longer configures it, or has disabled it; remove it with "
                + "`capctl devices forget \(device)`, or configure it again")
    }

    private static func unreachable(_ node: NodeName) -> DeviceCondition {
        DeviceCondition(
            state: .unreachable,
            reason: "the agent of node '\(node)' is not connected; is it running and on the network?")
    }
}
