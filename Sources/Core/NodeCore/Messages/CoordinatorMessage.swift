package import CaptureModel

/// What a coordinator says to this node.
package enum CoordinatorMessage: Sendable {
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
package struct MessageHeader: Hashable, Sendable {
    /// The coordinator that says it; nil where the message does not tell.
    package var coordinator: Epoch?
    /// Whether it is meant for this life of the agent.
    package var isForThisLife: Bool

    package init(coordinator: Epoch?, isForThisLife: Bool) {
        self.coordinator = coordinator
        self.isForThisLife = isForThisLife
    }
}

/// Makes the pictures of a shot that was prepared.
package struct FireOrder: Hashable, Sendable {
    package var shot: ShotID
    package var devices: [DeviceName]
    /// The instant at which a recording ends; nil for a shot, and for a take that begins.
    package var stop: RigTime?

    package init(shot: ShotID, devices: [DeviceName], stop: RigTime? = nil) {
        self.shot = shot
        self.devices = devices
        self.stop = stop
    }
}

/// A request of the coordinator under the number by which it knows a repeat.
package struct NumberedDeviceRequest: Sendable {
    package var number: UInt64
    /// Why it cannot be carried out as it came, in place of the request.
    package var request: Result<DeviceRequest, CaptureProblem>

    package init(number: UInt64, request: Result<DeviceRequest, CaptureProblem>) {
        self.number = number
        self.request = request
    }

    /// Whether the answer tells how the devices stand: a request about the spool changes none.
    var isAboutDevice: Bool {
        guard case .success(let request) = request, case .node = request.subject else { return true }
        return false
    }
}
