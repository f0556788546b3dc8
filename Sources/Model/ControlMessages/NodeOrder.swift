public import CaptureModel

/// An order of the rig to a node. The devices that it names belong to the node.
public enum NodeOrder: Hashable, Sendable {
    /// Say hello again.
    case helloRequired
    case prepare(PrepareOrder)
    case fire(FireOrder)
    /// Release the frames that are pinned for a shot. A capture that was made stays.
    case cancel(ShotID, [DeviceID])
    /// Events up to this one may be removed.
    case acknowledgeEvents(EventPosition)
    /// List the captures in the spool after a capture, or from the oldest.
    case listInventory(after: CaptureKey?)
    case deviceRequest(NumberedDeviceRequest)
}

/// An order to make the pictures of a shot that was prepared, or to begin to record.
public struct FireOrder: Hashable, Sendable {
    public var shot: ShotID
    public var devices: [DeviceID]
    /// The instant at which a recording ends; nil for a shot and for the start of a take.
    public var stop: RigTime?

    public init(shot: ShotID, devices: [DeviceID], stop: RigTime? = nil) {
        self.shot = shot
        self.devices = devices
        self.stop = stop
    }
}

/// A request about a device or the spool, which the node carries out once for each number.
public struct NumberedDeviceRequest: Hashable, Sendable {
    public var number: UInt64
    /// The request, or the reason why what has arrived cannot be carried out. It is answered with the reason, since
    /// somebody waits for the answer.
    public var request: Result<DeviceRequest, RigProblem>

    public init(number: UInt64, request: Result<DeviceRequest, RigProblem>) {
        self.number = number
        self.request = request
    }

    /// Whether the answer lists the condition of the devices. A request about the spool changes no device.
    public var isAboutDevice: Bool {
        guard case .success(let request) = request, case .node = request.subject else { return true }
        return false
    }
}
