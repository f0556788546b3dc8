import CaptureDevices
import CaptureEngine
import CaptureModel

/// The steps of Apple's AVCam sample, for photos, with this project's API and without an agent or a coordinator.
///
///     avcam FOLDER [DEVICE]
///
/// FOLDER gets the photos. DEVICE is a V4L2 camera, such as `/dev/video0`; without one, two virtual cameras, `back` and
/// `front`, stand in. docs/avcam.md walks through it.
@main
struct AVCam {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, arguments.count <= 2 else { throw Usage() }
        let path = arguments.dropFirst().first
        // A virtual camera offers pictures of any size; the largest would keep the machine busy.
        let model = try CameraModel(
            devices: try devices(path), preset: path == nil ? .inputPriority : .photo, folder: folder)
        try await model.run()
    }

    private static func devices(_ path: String?) throws -> [CaptureDevice] {
        if let path {
            return [try device("camera", .back, V4L2Camera(name: "camera", identity: .path(path)), driver: "v4l2")]
        }
        return try [Position.front, .back].map { position in
            let name = position.rawValue
            return try device(name, position, VirtualCamera(name: name), driver: "virtual")
        }
    }

    private static func device(
        _ name: String, _ position: Position, _ camera: any Camera, driver: String
    ) throws -> CaptureDevice {
        CaptureDevice(
            description: DeviceDescription(
                id: try DeviceID("here/\(name)"), type: .wide, position: position, purpose: "The AVCam walk",
                driver: driver),
            camera: camera)
    }
}

struct Usage: Error, CustomStringConvertible {
    var description: String { "usage: avcam FOLDER [DEVICE]" }
}

extension Position {
    static let back = Position(rawValue: "back")
    static let front = Position(rawValue: "front")
}
