import CameraKit
import CaptureModel
import FileCamera
import RigConfiguration
import V4L2Camera
import VirtualDevices

extension DeviceConfiguration {
    /// The camera this configuration names. It is not opened.
    func makeCamera() -> any Camera {
        switch source {
        case .virtual(let virtual):
            return VirtualCamera(name: name.rawValue, configuration: virtual)
        case .file(let file):
            return FileCamera(name: name.rawValue, configuration: file)
        case .v4l2(let source):
            let calibration = StampCalibration(
                latencyOffset: stamps.latencyOffset, readout: stamps.readout, uncertainty: stamps.uncertainty)
            return V4L2Camera(name: name.rawValue, identity: source.identity, calibration: calibration)
        }
    }

    /// What the rig is told of the device before it is opened.
    func description(on node: NodeName) -> DeviceDescription {
        DeviceDescription(
            id: DeviceID(node: node, device: name), type: type, position: position, labels: labels, purpose: purpose,
            orientation: orientation, mirrored: mirrored ? true : nil, driver: source.driverName)
    }

    var formatRequest: FormatRequest {
        FormatRequest(
            pixelFormat: format.pixelFormat, width: format.width, height: format.height,
            framesPerSecond: format.framesPerSecond)
    }
}

extension DeviceSource {
    fileprivate var driverName: String {
        switch self {
        case .virtual: "virtual"
        case .file: "file"
        case .v4l2: "v4l2"
        }
    }
}

extension V4L2Source {
    fileprivate var identity: V4L2Identity {
        switch self {
        case .path(let path): .path(path)
        case .bus(let bus): .busInformation(bus)
        case .serial(let serial): .serial(serial)
        }
    }
}
