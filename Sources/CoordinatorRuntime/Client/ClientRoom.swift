import RigProtocol

/// What the answer to a request waits for: requests of one kind take no place from those of another.
enum ClientRoom: Hashable, Sendable {
    /// Nodes: triggers, orders to devices and takes, which the rig bounds and refuses itself.
    case nodes
    /// What the coordinator knows.
    case rig
    /// A disk, which may take long or hang.
    case disk

    init(of request: WireClientRequest) {
        switch request.body {
        case .trigger, .deviceRequest, .stopTake, .markTake: self = .nodes
        case .listShots, .getShot, .verifyShot, .verifyRest, .getEvents, .editShot: self = .disk
        case .listDevices, .forgetDevices, .getStatus, nil: self = .rig
        }
    }
}
