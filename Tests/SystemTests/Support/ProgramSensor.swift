import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc

/// A camera that is a program which tells times, `program_camera.py`. The agent starts it.
final class ProgramSensor: StandIn {
    /// What the program stands for.
    enum Kind {
        /// Any program.
        case command
        /// The program that drives cameras of libcamera, which has controls.
        case libcamera
    }

    private let kind: Kind
    private let folder: TemporaryFolder
    private let program: String

    init(_ kind: Kind) throws {
        self.kind = kind
        folder = try TemporaryFolder()
        let picture = try folder.write(try StandInPicture.jpeg(kind == .command ? 1 : 2), as: "picture.jpg")
        let controls = kind == .libcamera ? " --controls" : ""
        let script = """
            #!/bin/sh
            exec /usr/bin/python3 '\(SourceTree.path("Tests/SystemTests/Support/program_camera.py"))' \
            --picture '\(picture)'\(controls) "$@"

            """
        program = try folder.write(
            Array(script.utf8), as: kind == .libcamera ? "caprig-libcamera" : "camera-program")
        guard unsafe chmod(program, 0o755) == 0 else { throw SystemTestError("\(program) cannot be made a program") }
    }

    func camera(_ name: String, number: Int) -> NodePlan.Camera { camera(name, number: number, option: "", key: "") }

    /// A node with this camera alone, which delivers the samples of its sensor. They are stored as they are.
    var rawPlan: NodePlan {
        var camera = camera("cam1", number: 1, option: "--raw, ", key: "pictures: raw, ")
        camera.settings = ["raw: true", "rawCompression: none"]
        return NodePlan(name: "node1", cameras: [camera])
    }

    private func camera(_ name: String, number: Int, option: String, key: String) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        let size = "\(StandInPicture.width)x\(StandInPicture.height)"
        let (words, controls) =
            switch kind {
            case .command: ("", "")
            case .libcamera: ("--camera, /base/soc/i2c0mux/imx708, --size, \(size), ", "controls: stdin, ")
            }
        let run = "[\(program), \(words)\(option)--fps, \"10\"]"
        camera.source = """
            { command: { run: \(run), \(key)times: fd3, \(controls)framesPerSecond: 10, startMilliseconds: 600000 } }
            """
        return camera
    }

    func truth(of picture: StoredPicture) throws -> RigTime {
        RigTime(nanoseconds: try StandInPicture.numbers(2, in: picture.bytes)[0])
    }

    /// How long a picture was exposed, by its own word.
    static func exposure(of picture: [UInt8]) throws -> Duration {
        .nanoseconds(try StandInPicture.numbers(2, in: picture)[1])
    }

    /// Does nothing: the agent ends it.
    func stop() {}
}
