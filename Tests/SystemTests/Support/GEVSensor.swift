import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

/// A GigE Vision camera on loopback for the programs: `gev_camera.py` of `AravisCameraTests`, and the helper that drives it.
final class GEVSensor: StandIn {
    private let program: RunningProgram
    private let address: String
    private let helper: String
    private let folder: TemporaryFolder

    private init(_ program: RunningProgram, address: String, helper: String, folder: TemporaryFolder) {
        (self.program, self.address, self.helper, self.folder) = (program, address, helper, folder)
    }

    /// Starts a camera.
    /// - Parameter options: Of `gev_camera.py`.
    static func started(_ options: [String] = []) async throws -> GEVSensor {
        let helper = try await BuiltPrograms.shared.helper("aravis")
        let folder = try TemporaryFolder()
        let address = (["127"] + (0..<3).map { _ in "\(Int.random(in: 1...254))" }).joined(separator: ".")
        let program = try RunningProgram(
            "camera", program: "/usr/bin/python3",
            arguments: [
                SourceTree.path("Tests/Backends/AravisCameraTests/gev_camera.py"), "--address", address, "--width",
                "\(StandInPicture.width)", "--height", "\(StandInPicture.height)", "--fps", "10",
            ] + options, log: folder.path + "/camera.log")
        _ = try await program.nextLine(within: TestRig.patience) { $0 == "ready" }
        return GEVSensor(program, address: address, helper: helper, folder: folder)
    }

    /// A node with this camera alone, whose samples are stored as they are.
    var plan: NodePlan {
        var camera = camera("cam1", number: 1)
        camera.settings = ["raw: true", "rawCompression: none"]
        return NodePlan(name: "node1", cameras: [camera])
    }

    func camera(_ name: String, number: Int) -> NodePlan.Camera { camera(name, number: number, exposure: "free") }

    /// - Parameter exposure: When it exposes.
    func camera(_ name: String, number: Int, exposure: String) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        camera.source =
            "{ aravis: { address: \(address), framesPerSecond: 10, exposure: \(exposure), helper: \(helper), startMilliseconds: 600000 } }"
        return camera
    }

    /// Waits until it has done something.
    func waitUntil(_ line: String) async throws {
        _ = try await program.nextLine(within: TestRig.patience) { $0.hasPrefix(line) }
    }

    /// When the exposure of a DNG began, as its samples tell. They are the end of the file.
    static func truth(of path: String) throws -> LocalTime {
        let samples = try Data(contentsOf: URL(filePath: path)).suffix(StandInPicture.width * StandInPicture.height)
        let nanoseconds = samples.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return LocalTime(nanoseconds: Int64(clamping: nanoseconds))
    }

    /// Of a camera that draws squares.
    func truth(of picture: StoredPicture) throws -> RigTime { try StandInPicture.squares(in: picture.bytes) }

    func stop() async throws {
        program.closeInput()
        _ = try await program.exitStatus(within: TestRig.patience)
    }
}
