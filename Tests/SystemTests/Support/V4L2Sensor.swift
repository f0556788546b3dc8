import CaptureModel
import CaptureTestSupport
import Foundation

/// A V4L2 camera for an agent that is started with a library in front of the system's: a program of `Benchmarks/Camera`, which counts its
/// frames in their pictures and writes down when each was due.
///
/// It needs no driver. The device lab tests the kernel's drivers.
final class V4L2Sensor: StandIn {
    private let program: RunningProgram
    private let folder: TemporaryFolder
    /// Of the agent of its node.
    let environment: [String: String]

    /// The log of frames in the camera's file (`camera_state.h`): an entry has the frame, its stamp, and two other instants.
    private static let (logPlace, logLength, entrySize) = (UInt64(4096), UInt64(8192), 32)

    private init(_ program: RunningProgram, _ folder: TemporaryFolder, tools: String) {
        (self.program, self.folder) = (program, folder)
        environment = ["LD_PRELOAD": tools + "/shim.so", "CAPRIG_BENCH_CAMERAS": folder.path]
    }

    static func started() async throws -> V4L2Sensor {
        let tools = try await BuiltPrograms.shared.cameras()
        let folder = try TemporaryFolder()
        let film = try folder.write(try (0..<20).flatMap { try StandInPicture.jpeg($0) }, as: "film.mjpeg")
        let program = try RunningProgram(
            "cameras", program: tools + "/cameras", arguments: [folder.path, film, "1", "10"],
            log: folder.path + "/log")
        _ = try await program.nextLine(within: TestRig.patience) { $0 == "ready" }
        return V4L2Sensor(program, folder, tools: tools)
    }

    func camera(_ name: String, number: Int) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        camera.source = "{ v4l2: { path: \(folder.path)/video0 } }"
        return camera
    }

    func truth(of picture: StoredPicture) throws -> RigTime {
        // `CAPRIG-BENCH camera 00000 frame 000000000012`
        let frame = UInt64(clamping: try StandInPicture.numbers(2, in: picture.bytes)[1])
        let file = try FileHandle(forReadingFrom: URL(filePath: folder.path + "/video0.state"))
        defer { try? file.close() }
        try file.seek(toOffset: Self.logPlace + frame % Self.logLength * UInt64(Self.entrySize))
        let entry = [UInt8](try file.read(upToCount: Self.entrySize) ?? Data())
        func word(_ index: Int) -> UInt64 {
            entry.dropFirst(index * 8).prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        guard entry.count == Self.entrySize, word(0) == frame else {
            throw SystemTestError("the camera has not written down frame \(frame)")
        }
        return RigTime(nanoseconds: Int64(clamping: word(1)))
    }

    func stop() async throws {
        program.closeInput()
        _ = try await program.exitStatus(within: TestRig.patience)
    }
}
