import CaptureModel

/// Last steps of settings transactions that have ended, which cameras have not been told because their nodes did not answer. A node is told
/// when it is back, so that it does not keep its camera for what nobody will commit. A value.
///
/// | a camera's node did not answer | its last step |
/// |---|---|
/// | prepare | give up: what it has prepared is dropped |
/// | commit | commit at the same T: it answers what it has done, or drops what it can no longer do in time; undo, if it was cancelled |
/// | undo | the same |
struct UntoldSteps {
    /// Limit on the steps. Beyond it, the oldest are dropped: their nodes keep cameras for ``SettingsStep/keepingTime``.
    static let limit = 1024

    struct Untold: Hashable {
        var id: SettingsID
        var device: DeviceID
        var step: SettingsStep
    }

    /// Oldest first.
    private var steps: [Untold] = []

    mutating func add(_ step: SettingsStep, of id: SettingsID, to device: DeviceID) {
        steps.append(Untold(id: id, device: device, step: step))
        if steps.count > Self.limit { steps.removeFirst() }
    }

    /// The oldest step for a node.
    func next(of node: NodeName) -> Untold? { steps.first { $0.device.node == node } }

    /// Notes that a node has answered a step.
    mutating func told(_ step: Untold) { steps.removeAll { $0 == step } }

    /// Removes the steps of cameras that have left the rig.
    mutating func forget(_ devices: [DeviceID]) { steps.removeAll { devices.contains($0.device) } }
}
