import ALSAMicrophone
import ArgumentParser
import CameraKit
import CaptureEngine
import CaptureModel
import V4L2Camera
import VirtualDevices

/// Which cameras and which microphone, and where their photos and movies go.
struct DeviceOptions: ParsableArguments {
    @Argument(help: "Where photos and movies go; made where it is missing.", completion: .directory)
    var folder: String

    @Argument(
        help: "One or two V4L2 cameras, such as /dev/video0, the back one first; without any, virtual ones stand in.")
    var devices: [String] = []

    @Option(
        help: "The microphone, as libasound names it; else the machine's first, or with virtual cameras a virtual one.")
    var microphone: String?

    /// The cameras, closed.
    /// - Parameter framesPerSecond: Of virtual ones.
    func cameras(framesPerSecond: Double = 30) throws -> [CaptureDevice] {
        if devices.isEmpty { return try CaptureDevice.virtual([.back, .front], framesPerSecond: framesPerSecond) }
        return try zip(devices, [Position.back, .front]).map { path, position in
            let name = position.rawValue
            let camera = V4L2Camera(name: name, identity: .path(path))
            return try CaptureDevice(camera, name: name, position: position, driver: "v4l2")
        }
    }

    /// The microphone, closed; nil where the machine has none that may be opened.
    func openableMicrophone() async throws -> (any Microphone)? {
        if let microphone { return ALSAMicrophone(name: "microphone", device: microphone) }
        if devices.isEmpty { return VirtualMicrophone(name: "microphone") }
        let first = try await MicrophoneListing.all().first { $0.authorization == .authorized }
        return first.map { ALSAMicrophone(name: "microphone", device: $0.device) }
    }

    mutating func validate() throws {
        if devices.count > 2 { throw ValidationError("this example takes two cameras at most, one for each position") }
    }
}
