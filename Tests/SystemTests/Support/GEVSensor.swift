import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

/// A GigE Vision camera on loopback for the programs: `gev_camera.py` of `AravisCameraTests`, and the helper that drives it.
final class GEVSensor: Sendable {
    private let program: RunningProgram
    private let address: String
    private let helper: String
    private let folder: TemporaryFolder

    static let (width, height) = (320, 240)

    private init(_ program: RunningProgram, address: String, helper: String, folder: TemporaryFolder) {
        (self.program, self.address, self.helper, self.folder) = (program, address, helper, folder)
    }

    /// Builds the helper and starts a camera.
    /// - Parameter options: Of `gev_camera.py`.
    static func started(_ options: [String] = []) async throws -> GEVSensor {
        let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let folder = try TemporaryFolder()
        let helper = folder.path + "/caprig-aravis"
        let build = try RunningProgram(
            "build", program: root + "/deploy/aravis/build", arguments: [helper], log: folder.path + "/build.log")
        guard try await build.exitStatus(within: .seconds(600)) == 0 else {
            throw SystemTestError("deploy/aravis/build has failed:\n\(build.log)")
        }
        let address = (["127"] + (0..<3).map { _ in "\(Int.random(in: 1...254))" }).joined(separator: ".")
        let program = try RunningProgram(
            "camera", program: "/usr/bin/python3",
            arguments: [
                root + "/Tests/Backends/AravisCameraTests/gev_camera.py", "--address", address, "--width", "\(width)",
                "--height", "\(height)", "--fps", "10",
            ] + options, log: folder.path + "/camera.log")
        _ = try await program.nextLine(within: TestRig.patience) { $0 == "ready" }
        return GEVSensor(program, address: address, helper: helper, folder: folder)
    }

    /// A node with this camera alone.
    var plan: NodePlan {
        var camera = NodePlan.Camera(name: "cam1", number: 1)
        camera.source = """
            { aravis: { address: \(address), framesPerSecond: 10, helper: \(helper), startMilliseconds: 600000 } }
                raw: true
                rawCompression: none
            """
        return NodePlan(name: "node1", cameras: [camera])
    }

    /// When the exposure of a DNG began, as its samples tell. They are the end of the file.
    static func truth(of path: String) throws -> LocalTime {
        let samples = try Data(contentsOf: URL(filePath: path)).suffix(width * height)
        let nanoseconds = samples.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return LocalTime(nanoseconds: Int64(clamping: nanoseconds))
    }

    func end() async throws {
        program.closeInput()
        _ = try await program.exitStatus(within: TestRig.patience)
    }
}
