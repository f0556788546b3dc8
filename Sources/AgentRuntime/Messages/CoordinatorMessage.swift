import CaptureModel

/// What a coordinator says to this node.
enum CoordinatorMessage: Sendable {
    /// The coordinator does not know this connection and wants a hello.
    case helloRequired
    case welcome(JoinedCoordinator)
    /// The answer to a hello: this node may not join.
    case refused(CaptureProblem)
    /// A sign of life, and nothing else.
    case heartbeatAcknowledged
    case prepare(PrepareOrder)
    case fire(FireOrder)
    case cancel(ShotID, [DeviceName])
    /// The events of the epoch up to the sequence may be forgotten.
    case acknowledge(Epoch, through: UInt64)
    /// Lists what lies in the spool after a capture, or from the oldest.
    case listInventory(after: CaptureKey?)
    case deviceRequest(NumberedDeviceRequest)
}

/// Between which lives of coordinator and agent a message passes.
struct MessageHeader: Hashable, Sendable {
    /// The coordinator that says it; nil where the message does not tell.
    var coordinator: Epoch?
    /// Whether it is meant for this life of the agent.
    var isForThisLife: Bool
}

/// Makes the pictures of a shot that was prepared.
struct FireOrder: Hashable, Sendable {
    var shot: ShotID
    var devices: [DeviceName]
    /// The instant at which a recording ends; nil for a shot, and for a take that begins.
    var stop: RigTime?
}

/// A request of the coordinator under the number by which it knows a repeat.
struct NumberedDeviceRequest: Sendable {
    var number: UInt64
    /// Why it cannot be carried out as it came, in place of the request.
    var request: Result<DeviceRequest, CaptureProblem>

    /// Whether the answer tells how the devices stand: a request about the spool changes none.
    var isAboutDevice: Bool {
        guard case .success(let request) = request, case .node = request.subject else { return true }
        return false
    }
}
