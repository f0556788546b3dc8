import CaptureModel
import RigProtocol
import RigWire

extension WirePrepare {
    init(_ shot: ShotID, _ devices: [DeviceID]) {
        self.init()
        shotID = shot.wire
        self.devices = devices.map(\.device.rawValue)
    }
}

extension WireFire {
    init(_ shot: ShotID, _ devices: [DeviceID]) {
        self.init()
        shotID = shot.wire
        self.devices = devices.map(\.device.rawValue)
    }
}

extension WireCancel {
    init(_ shot: ShotID, _ devices: [DeviceID]) {
        self.init()
        shotID = shot.wire
        self.devices = devices.map(\.device.rawValue)
    }
}
