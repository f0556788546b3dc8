import CaptureModel

/// What nodes are told when they are back: the ends of transactions that they have missed, and settings that have waited for them.
///
/// One task tells a node at a time. If it is to be told again until then, the task goes through everything once more.
/// Belongs to one actor, and runs on it.
final class SettingsDeliveries {
    private var tasks: [NodeName: Task<Void, Never>] = [:]
    /// Nodes that are to be told again.
    private var repeated: Set<NodeName> = []
    private var untold = UntoldSteps()

    /// The task that tells a node; nil if none does.
    func task(for node: NodeName) -> Task<Void, Never>? { tasks[node] }

    /// Begins to tell a node, or has the task that does so go through everything once more.
    /// - Parameter tell: Starts the task.
    func begin(_ node: NodeName, _ tell: () -> Task<Void, Never>) {
        if tasks[node] == nil { tasks[node] = tell() } else { repeated.insert(node) }
    }

    /// Whether the task of a node is to go through everything once more. Ends the task's turn otherwise.
    func goesOn(_ node: NodeName) -> Bool {
        if repeated.remove(node) != nil { return true }
        tasks[node] = nil
        return false
    }

    /// The oldest step that a node has missed.
    func untoldStep(of node: NodeName) -> UntoldSteps.Untold? { untold.next(of: node) }

    /// Notes a step that a camera's node has not answered.
    func add(_ step: SettingsStep, of id: SettingsID, to device: DeviceID) {
        untold.add(step, of: id, to: device)
    }

    /// Notes that a node has answered a step that it had missed.
    func told(_ step: UntoldSteps.Untold) { untold.told(step) }

    /// Removes the steps of cameras that have left the rig.
    func forget(_ devices: [DeviceID]) { untold.forget(devices) }
}
