import CaptureModel
import CaptureTestSupport
import Glibc

/// A network camera on loopback for the programs: `rtsp_camera.py` of `RTSPCameraTests`.
final class NetworkSensor: StandIn {
    private let program: RunningProgram
    private let port: String
    private let folder: TemporaryFolder

    private init(_ program: RunningProgram, port: String, folder: TemporaryFolder) {
        (self.program, self.port, self.folder) = (program, port, folder)
    }

    static func started() async throws -> NetworkSensor {
        let folder = try TemporaryFolder()
        let script = SourceTree.path("Tests/Backends/RTSPCameraTests/rtsp_camera.py")
        let size = ["--width", "\(StandInPicture.width)", "--height", "\(StandInPicture.height)"]
        let program = try RunningProgram(
            "camera", program: "/usr/bin/python3", arguments: [script, "--rate", "10", "--keys", "5"] + size,
            log: folder.path + "/camera.log")
        let port = try await program.nextLine(within: TestRig.patience) { UInt16($0) != nil }
        return NetworkSensor(program, port: port, folder: folder)
    }

    func camera(_ name: String, number: Int) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        camera.source = """
            { rtsp: { url: "rtsp://127.0.0.1:\(port)/stream", framesPerSecond: 10, largestLatencyMilliseconds: 2000, \
            startMilliseconds: 600000 } }
            """
        return camera
    }

    func truth(of picture: StoredPicture) throws -> RigTime { try StandInPicture.squares(in: picture.bytes) }

    /// Whether it goes on; it keeps its connections.
    func pause(_ isPaused: Bool) { program.send(isPaused ? SIGSTOP : SIGCONT) }

    func stop() async throws { try await program.killNow() }
}
