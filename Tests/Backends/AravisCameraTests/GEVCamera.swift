import CameraKit
import CaptureModel
import CaptureTestSupport
import ChildPrograms
import PosixSupport
import ProgramCamera
import RigConfiguration

@testable import AravisCamera

/// A GigE Vision camera on loopback: `gev_camera.py`, in a separate process.
// The guard: one test uses it, from one task at a time.
final class GEVCamera: @unchecked Sendable {
    private let program: ChildProgram
    private let never: EventFlag
    private var output: [UInt8] = []
    let address: String

    static let (width, height) = (64, 48)

    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    /// What a frame tells of itself.
    struct Truth: Hashable {
        /// When its exposure began.
        var start: LocalTime
        /// The frames that were exposed before it.
        var number: UInt64
    }

    /// - Parameter options: Of `gev_camera.py`.
    init(_ options: [String] = []) throws {
        address = (["127"] + (0..<3).map { _ in "\(Int.random(in: 1...254))" }).joined(separator: ".")
        let command = ["/usr/bin/python3", Self.script("gev_camera.py"), "--address", address] + options
        program = try ChildProgram(command, outputs: [.standardOutput], takesInput: true)
        never = try EventFlag()
        _ = try lines(1, of: "ready")
    }

    static func script(_ name: String) -> String {
        "/" + #filePath.split(separator: "/").dropLast().joined(separator: "/") + "/" + name
    }

    /// What it has done so far, a line each; waits until `count` lines begin with `word`.
    func lines(_ count: Int = 0, of word: String = "") throws -> [String] {
        while true {
            let end = output.lastIndex(of: UInt8(ascii: "\n")) ?? 0
            let lines = String(decoding: output[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
            if lines.count(where: { $0.hasPrefix(word) }) >= count { return lines.filter { $0.hasPrefix(word) } }
            guard try !program.wait(for: [.standardOutput], or: never, within: .seconds(120)).isEmpty,
                try program.read(.standardOutput, to: &output, limit: 1 << 16) != .end
            else { throw Missing(description: "the camera has not done '\(word)' \(count) times: \(lines)") }
        }
    }

    /// Spoils the next frames, one each.
    func spoil(_ kinds: [String]) throws { try program.write(Array((kinds.joined(separator: " ") + "\n").utf8)) }

    func configuration(
        _ change: (inout AravisCameraConfiguration) -> Void = { _ in }
    ) throws -> AravisCameraConfiguration {
        var configuration = AravisCameraConfiguration(address: address)
        configuration.helper = try Helper.path.get()
        // As long as a slow machine needs.
        configuration.startMilliseconds = 600_000
        change(&configuration)
        return configuration
    }

    func camera(
        stamps: StampCorrection = .init(), _ change: (inout AravisCameraConfiguration) -> Void = { _ in }
    ) throws -> ProgramCamera {
        try configuration(change).camera(named: "front", stamps: stamps)
    }

    static func truth(_ frame: CameraFrame) throws -> Truth {
        let bytes = frame.lease.bytes
        guard bytes.count >= 16 else { throw Missing(description: "a frame of \(bytes.count) bytes") }
        let numbers = [bytes[0..<8], bytes[8..<16]].map { $0.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return Truth(start: LocalTime(nanoseconds: Int64(clamping: numbers[0])), number: numbers[1])
    }

    /// The sample that the camera has at a place.
    static func sample(_ column: Int, _ row: Int, bits: Int) -> Int { (column * 37 + row * 101) & ((1 << bits) - 1) }

    /// Whether a frame of 8 bits gray has all its samples.
    static func isWhole(_ frame: CameraFrame) -> Bool {
        let bytes = frame.lease.bytes
        return bytes.count == width * height
            && bytes.indices.dropFirst(16).allSatisfy { Int(bytes[$0]) == sample($0 % width, $0 / width, bits: 8) }
    }
}

/// The helper program, built once from its source against this machine's Aravis.
enum Helper {
    static let path: Result<String, any Error> = Result {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let folder = try TemporaryFolder()
        let built = folder.path + "/caprig-aravis"
        let build = try ChildProgram(["/\(root)/deploy/aravis/build", built], outputs: [.standardOutput])
        guard build.ended(within: .seconds(600)) == .exited(status: 0) else {
            throw GEVCamera.Missing(description: "deploy/aravis/build has failed: is libaravis-dev installed?")
        }
        kept.withLock { $0.append(folder) }
        return built
    }

    private static let kept = Locked<[TemporaryFolder]>([])
}
