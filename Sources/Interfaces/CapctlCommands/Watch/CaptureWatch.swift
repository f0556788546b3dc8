internal import CaptureModel

/// Which events `capctl watch` shows, and when it has shown all of a shot or take: the steps of captures, and where no shot is meant
/// changes of the scene.
///
/// A shot's events end when the shot is settled and every capture that began has ended: nodes may be heard after the
/// coordinator, and a camera that was refused has no life cycle.
struct CaptureWatch {
    /// Only this shot; any where nil.
    let shot: ShotID?
    /// Only these cameras; any where empty.
    let devices: [DeviceID]

    private var isSettled = false
    private var underWay: Set<DeviceID> = []

    init(shot: ShotID?, devices: [DeviceID]) {
        self.shot = shot
        self.devices = devices
    }

    /// Whether nothing more will come of the shot; never without one.
    var isOver: Bool { shot != nil && isSettled && underWay.isEmpty }

    /// Takes an event.
    /// - Returns: Whether it is to be shown.
    mutating func take(_ event: RigEvent) -> Bool {
        if event.name == .sceneChanged { return shot == nil && event.device.map(isMeant) == true }
        guard let id = event.shot, shot == nil || shot == id else { return false }
        guard let device = event.device else {
            if ["shot.settled", "take.settled"].contains(event.name.rawValue) { isSettled = true }
            return false
        }
        guard event.name.rawValue.hasPrefix("capture."), isMeant(device) else { return false }
        note(event.name, device)
        return true
    }

    private func isMeant(_ device: DeviceID) -> Bool { devices.isEmpty || devices.contains(device) }

    private mutating func note(_ name: EventName, _ device: DeviceID) {
        switch name.rawValue {
        case "capture.willBeginCapture": underWay.insert(device)
        case "capture.didFinishCapture": underWay.remove(device)
        default: break
        }
    }
}
