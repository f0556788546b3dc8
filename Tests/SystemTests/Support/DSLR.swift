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
        let copies = folder.path + "/copies"
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
        let script = SourceTree.path("Tests/Backends/GPhotoCameraTests/ptpip_camera.py")
        let program = try RunningProgram(
            "camera", program: "/usr/bin/python3",
            arguments: [script, "--picture", picture, "--copies", copies] + options,
            log: folder.path + "/camera.log")
        let port = try await program.nextLine(within: TestRig.patience) { Int($0) != nil }
        return DSLR(program, port: port, helper: helper, folder: folder)
    }

    /// The files that have been on its card, as they were.
    var copies: [String] {
        get throws {
            let copies = folder.path + "/copies"
            return try FileManager.default.contentsOfDirectory(atPath: copies).map { "\(copies)/\($0)" }
        }
    }

    /// A node with these cameras, `cam1` and so on.
    /// - Parameters:
    ///   - keys: Further keys of their sources.
    ///   - raw: Whether shots may ask for their raw files.
    static func node(_ cameras: [DSLR], keys: String = "", raw: Bool = false) -> NodePlan {
        var plan = NodePlan(name: "node1", cameras: [])
        for (index, camera) in cameras.enumerated() {
            plan.cameras.append(camera.camera("cam\(index + 1)", number: index + 1, keys: keys, raw: raw))
        }
        plan.environment = cameras.first?.environment ?? [:]
        return plan
    }

    /// A node with this camera alone.
    /// - Parameters:
    ///   - keys: Further keys of its source.
    ///   - raw: Whether shots may ask for its raw files.
    func plan(_ keys: String = "", raw: Bool = false) -> NodePlan { Self.node([self], keys: keys, raw: raw) }

    func camera(_ name: String, number: Int) -> NodePlan.Camera { camera(name, number: number, keys: "") }

    /// - Parameters:
    ///   - patience: How many milliseconds it may be silent.
    ///   - keys: Further keys of its source.
    ///   - raw: Whether shots may ask for its raw files.
    func camera(
        _ name: String, number: Int, patience: Int = 600_000, keys: String, raw: Bool = false
    ) -> NodePlan.Camera {
        var camera = NodePlan.Camera(name: name, number: number)
        if raw { camera.settings = ["raw: true"] }
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

    /// What has become of its pictures, each named by the middle of its exposure, which image and raw file share.
    struct Record {
        var exposed: Set<LocalTime> = []
        /// Those of which a file was removed from its card, once for each file.
        var removals: [LocalTime] = []
        /// Those of them of which the library did not have that file at that moment, if the camera was started to look there.
        var lost: Set<LocalTime> = []

        /// Those of which a file was removed from its card.
        var removed: Set<LocalTime> { Set(removals) }
    }

    /// Ends it.
    func end() async throws -> Record {
        program.closeInput()
        let rest = try await program.restOfOutput(within: TestRig.patience).split(separator: "\n").map(String.init)
        var instants: [String: LocalTime] = [:]
        var record = Record()
        for words in (seen.withLock { $0 } + rest).map({ $0.split(separator: " ").map(String.init) }) {
            switch words.first {
            case "exposed", "raw":
                let instant = LocalTime(nanoseconds: try #require(Int64(words[2])))
                instants[words[1]] = instant
                record.exposed.insert(instant)
            case "deleted": record.removals.append(try #require(instants[words[1]]))
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

    /// The raw files of cameras in a library.
    static func raws(in folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { $0.hasSuffix("/cameraRaw.nef") }.map { "\(folder)/\($0)" }
    }

    /// When a picture was exposed, as its image or raw file tells.
    static func truth(of path: String) throws -> LocalTime {
        try truth(in: [UInt8](try Data(contentsOf: URL(filePath: path))))
    }

    private static func truth(in file: [UInt8]) throws -> LocalTime {
        guard file.starts(with: Array("II*\0".utf8)) else {
            return LocalTime(nanoseconds: try StandInPicture.numbers(1, in: file)[0])
        }
        // The value of the one tag of its directory.
        let words = String(decoding: file.dropFirst(26).prefix { $0 != 0 }, as: UTF8.self)
        return LocalTime(nanoseconds: try #require(Int64(words.dropFirst("exposed ".count))))
    }
}
