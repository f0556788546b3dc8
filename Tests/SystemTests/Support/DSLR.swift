import CaptureModel
import CaptureTestSupport
import Foundation
import Synchronization
import Testing
import TurboJPEG

/// A DSLR on loopback for the programs: `ptpip_camera.py` of `GPhotoCameraTests`, and the helper that drives it.
final class DSLR: Sendable {
    private let program: RunningProgram
    private let seen = Mutex<[String]>([])
    private let port: String
    private let helper: String
    private let folder: TemporaryFolder

    private static let root = "/" + #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    private static let (width, height) = (320, 240)

    private init(_ program: RunningProgram, port: String, helper: String, folder: TemporaryFolder) {
        (self.program, self.port, self.helper, self.folder) = (program, port, helper, folder)
    }

    /// Builds the helper and starts a camera.
    /// - Parameter options: Of `ptpip_camera.py`.
    static func started(_ options: [String] = []) async throws -> DSLR {
        let folder = try TemporaryFolder()
        let helper = folder.path + "/caprig-gphoto"
        let build = try RunningProgram(
            "build", program: root + "/deploy/gphoto/build", arguments: [helper], log: folder.path + "/build.log")
        guard try await build.exitStatus(within: .seconds(600)) == 0 else {
            throw SystemTestError("deploy/gphoto/build has failed:\n\(build.log)")
        }
        let picture = try folder.write(try Self.picture(), as: "picture.jpg")
        let program = try RunningProgram(
            "camera", program: "/usr/bin/python3",
            arguments: [root + "/Tests/Backends/GPhotoCameraTests/ptpip_camera.py", "--picture", picture] + options,
            log: folder.path + "/camera.log")
        let port = try await program.nextLine(within: TestRig.patience) { Int($0) != nil }
        return DSLR(program, port: port, helper: helper, folder: folder)
    }

    private static func picture() throws -> [UInt8] {
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .gray)
        let luma = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let none: [UInt8] = []
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: luma.span, cb: none.span, cr: none.span, quality: 80, into: &jpeg)
        return jpeg
    }

    /// A node with this camera alone.
    /// - Parameter keys: Further keys of its source.
    func plan(_ keys: String = "") -> NodePlan {
        var camera = NodePlan.Camera(name: "cam1", number: 1)
        camera.source = """
            { gphoto: { port: "ptpip:127.0.0.1:\(port):\(port)", width: \(Self.width), height: \(Self.height), \
            helper: \(helper), startMilliseconds: 600000, patienceMilliseconds: 600000\(keys) } }
            """
        var plan = NodePlan(name: "node1", cameras: [camera])
        // Where libgphoto2 keeps settings.
        plan.environment = ["HOME": folder.path]
        return plan
    }

    /// Waits until it has done something so often.
    func waitUntil(_ word: String, count: Int = 1) async throws {
        while seen.withLock({ $0.count { $0.hasPrefix(word) } }) < count { try await readLine() }
    }

    private func readLine() async throws {
        let line = try await program.nextLine(within: TestRig.patience) { _ in true }
        seen.withLock { $0.append(line) }
    }

    /// Ends it, and returns when its pictures were exposed, and those that were removed from its card.
    func end() async throws -> (exposed: [LocalTime], removed: [LocalTime]) {
        program.closeInput()
        let rest = try await program.restOfOutput(within: TestRig.patience).split(separator: "\n").map(String.init)
        var instants: [String: LocalTime] = [:]
        var removed: [LocalTime] = []
        for words in (seen.withLock { $0 } + rest).map({ $0.split(separator: " ").map(String.init) }) {
            if words.first == "exposed", let nanoseconds = Int64(words[2]) {
                instants[words[1]] = LocalTime(nanoseconds: nanoseconds)
            }
            if words.first == "deleted" { removed.append(try #require(instants[words[1]])) }
        }
        return (Array(instants.values), removed)
    }

    /// When a picture was exposed, as it tells itself.
    static func truth(of path: String) throws -> LocalTime {
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let comment = try #require(bytes.count > 64 && bytes[2...3].elementsEqual([0xFF, 0xFE]) ? bytes[6...] : nil)
        let words = String(decoding: comment.prefix(Int(bytes[4]) << 8 + Int(bytes[5]) - 2), as: UTF8.self)
        return LocalTime(nanoseconds: try #require(Int64(words.dropFirst("exposed ".count))))
    }
}
