internal import CaptureModel

/// Selects the events that `capctl watch` shows, and detects the end of a shot or take. It shows the steps of captures,
/// and without a shot also changes of the scene.
///
/// A shot's events end when the shot is settled and every capture that began has ended. Events of nodes may arrive
/// after those of the coordinator, and a camera that refused publishes no steps.
struct CaptureWatch {
    /// Only this shot; nil: any.
    let shot: ShotID?
    /// Only these cameras; empty: any.
    let devices: [DeviceID]

    private var isFinished = false
    private var underWay: Set<DeviceID> = []

    init(shot: ShotID?, devices: [DeviceID]) {
        self.shot = shot
        self.devices = devices
    }

    /// Whether no further event of the shot follows; never without a shot.
    var isOver: Bool { shot != nil && isFinished && underWay.isEmpty }

    /// Processes an event.
    /// - Returns: Whether to show it.
    mutating func process(_ event: RigEvent) -> Bool {
        if event.name == .sceneChanged { return shot == nil && event.device.map(isMeant) == true }
        guard let id = event.shot, shot == nil || shot == id else { return false }
        guard let device = event.device else {
            if ["shot.settled", "take.settled"].contains(event.name.rawValue) { isFinished = true }
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
