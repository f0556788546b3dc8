import CaptureModel
import CaptureTestSupport
import Foundation
import Synchronization
import Testing

/// A DSLR on loopback for the programs: `ptpip_camera.py` of `GPhotoCameraTests`, and the helper that drives it.
final class DSLR: StandIn {
    private let program: RunningProgram
    private let seen = Mutex<[String]>([])
    private let port: String
    private let helper: String
    private let folder: TemporaryFolder

    private init(_ program: RunningProgram, port: String, helper: String, folder: TemporaryFolder) {
        (self.program, self.port, self.helper, self.folder) = (program, port, helper, folder)
    }

    /// Starts a camera.
    /// - Parameter options: Of `ptpip_camera.py`.
    static func started(_ options: [String] = []) async throws -> DSLR {
        let helper = try await BuiltPrograms.shared.helper("gphoto")
        let folder = try TemporaryFolder()
        let picture = try folder.write(try StandInPicture.jpeg(), as: "picture.jpg")
        let script = SourceTree.path("Tests/Backends/GPhotoCameraTests/ptpip_camera.py")
        let program = try RunningProgram(
            "camera", program: "/usr/bin/python3", arguments: [script, "--picture", picture] + options,
            log: folder.path + "/camera.log")
        let port = try await program.nextLine(within: TestRig.patience) { Int($0) != nil }
        return DSLR(program, port: port, helper: helper, folder: folder)
    }

    /// A node with these cameras, `cam1` and so on.
    /// - Parameter keys: Further keys of their sources.
    static func node(_ cameras: [DSLR], keys: String = "") -> NodePlan {
        var plan = NodePlan(name: "node1", cameras: [])
        for (index, camera) in cameras.enumerated() {
            plan.cameras.append(camera.camera("cam\(index + 1)", number: index + 1, keys: keys))
        }
        plan.environment = cameras.first?.environment ?? [:]
        return plan
    }

    /// A node with this camera alone.
    /// - Parameter keys: Further keys of its source.
    func plan(_ keys: String = "") -> NodePlan { Self.node([self], keys: keys) }

    func camera(_ name: String, number: Int) -> NodePlan.Camera { camera(name, number: number, keys: "") }

    /// - Parameters:
    ///   - patience: How many milliseconds it may be silent.
    ///   - keys: Further keys of its source.
    func camera(_ name: String, number: Int, patience: Int = 600_000, keys: String) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        camera.source = """
            { gphoto: { port: "ptpip:127.0.0.1:\(port):\(port)", width: \(StandInPicture.width), \
            height: \(StandInPicture.height), helper: \(helper), startMilliseconds: 600000, \
            patienceMilliseconds: \(patience)\(keys) } }
            """
        return camera
    }

    /// Of the agent of its node: where libgphoto2 keeps settings.
    var environment: [String: String] { ["HOME": folder.path] }

    /// Waits until it has done something so often.
    func waitUntil(_ word: String, count: Int = 1) async throws {
        while seen.withLock({ $0.count { $0.hasPrefix(word) } }) < count { try await readLine() }
    }

    private func readLine() async throws {
        let line = try await program.nextLine(within: TestRig.patience) { _ in true }
        seen.withLock { $0.append(line) }
    }

    /// What has become of its pictures, each named by the middle of its exposure.
    struct Record {
        var exposed: Set<LocalTime> = []
        /// Those that were removed from its card.
        var removed: Set<LocalTime> = []
        /// Those of them that the library did not have at that moment, if the camera was started to look there.
        var lost: Set<LocalTime> = []
    }

    /// Ends it.
    func end() async throws -> Record {
        program.closeInput()
        let rest = try await program.restOfOutput(within: TestRig.patience).split(separator: "\n").map(String.init)
        var instants: [String: LocalTime] = [:]
        var record = Record()
        for words in (seen.withLock { $0 } + rest).map({ $0.split(separator: " ").map(String.init) }) {
            switch words.first {
            case "exposed":
                let instant = LocalTime(nanoseconds: try #require(Int64(words[2])))
                instants[words[1]] = instant
                record.exposed.insert(instant)
            case "deleted": record.removed.insert(try #require(instants[words[1]]))
            case "lost": record.lost.insert(try #require(instants[words[1]]))
            default: break
            }
        }
        return record
    }

    func stop() async throws { _ = try await end() }

    func truth(of picture: StoredPicture) throws -> RigTime {
        RigTime(nanoseconds: try Self.truth(in: picture.bytes).nanoseconds)
    }

    /// When a picture was exposed, as it tells itself.
    static func truth(of path: String) throws -> LocalTime {
        try truth(in: [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    private static func truth(in picture: [UInt8]) throws -> LocalTime {
        LocalTime(nanoseconds: try StandInPicture.numbers(1, in: picture)[0])
    }
}
