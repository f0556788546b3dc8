import CameraKit
import CaptureEngine
import CaptureModel
import VirtualDevices

/// Devices of this machine, which is a node of its own: `here`.
extension CaptureDevice {
    init(_ camera: any Camera, name: String, position: Position, driver: String) throws {
        self.init(
            description: DeviceDescription(
                id: try DeviceID("here/\(name)"), type: .wide, position: position, purpose: "The AVCam walk",
                driver: driver),
            camera: camera)
    }

    /// A virtual camera for each position, named after it.
    static func virtual(_ positions: [Position], framesPerSecond: Double) throws -> [CaptureDevice] {
        var configuration = VirtualCameraConfiguration()
        configuration.framesPerSecond = framesPerSecond
        return try positions.map { [configuration] position in
            let name = position.rawValue
            let camera = VirtualCamera(name: name, configuration: configuration)
            return try CaptureDevice(camera, name: name, position: position, driver: "virtual")
        }
    }
}

extension Position {
    static let back = Position(rawValue: "back")
    static let front = Position(rawValue: "front")
}
