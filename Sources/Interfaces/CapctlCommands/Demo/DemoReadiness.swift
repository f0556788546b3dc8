internal import CaptureModel
internal import RigClient

/// Whether a demo's rig can be triggered, and if not, what it lacks.
struct DemoReadiness {
    var plan: DemoPlan
    var status: RigStatus
    var devices: [DeviceStatus]

    var isComplete: Bool { problems.isEmpty }

    /// What is lacking, as one sentence.
    var problem: String { problems.joined(separator: "; ") }

    private var problems: [String] {
        plan.nodes.compactMap(problem) + devices.filter { !$0.condition.isUsable }.map(problem)
    }

    private func problem(_ node: DemoPlan.Node) -> String? {
        guard let found = status.nodes.first(where: { $0.node == node.name }), found.isConnected else {
            return "\(node.name) is not connected"
        }
        guard found.devices == node.cameras.count else {
            return "\(node.name) has \(found.devices) of \(node.cameras.count) cameras"
        }
        return found.clockBound == nil ? "\(node.name) is not synchronized" : nil
    }

    private func problem(_ status: DeviceStatus) -> String {
        let reason = status.condition.reason.map { " (\($0))" } ?? ""
        return "\(status.device.id) is \(status.condition.state.rawValue)\(reason)"
    }
}
