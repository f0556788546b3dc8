import CameraKit
import CaptureModel
import CaptureTestSupport
import ChildPrograms
import Glibc
import PosixSupport
import RigConfiguration
import SystemClock
import TurboJPEG

@testable import GPhotoCamera

/// A camera that speaks PTP/IP on loopback: `ptpip_camera.py`, in a separate process.
// The guard: one test uses it, from one task at a time.
final class PTPCamera: @unchecked Sendable {
    private let program: ChildProgram
    private let never: EventFlag
    private var output: [UInt8] = []
    let port: UInt16

    static let (width, height) = (320, 240)

    /// - Parameter options: Of `ptpip_camera.py`.
    init(_ options: [String] = []) throws {
        let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
        let program = try ChildProgram(
            ["/usr/bin/python3", "/\(folder)/ptpip_camera.py", "--picture", try Self.picture()] + options,
            outputs: [.standardOutput], takesInput: true)
        let never = try EventFlag()
        var output: [UInt8] = []
        while !output.contains(UInt8(ascii: "\n")) {
            guard try !program.wait(for: [.standardOutput], or: never, within: .seconds(120)).isEmpty,
                try program.read(.standardOutput, to: &output, limit: 64) != .end
            else { throw Missing(description: "the camera of the tests has not started") }
        }
        guard let number = UInt16(String(decoding: output.dropLast(), as: UTF8.self)) else {
            throw Missing(description: "the camera of the tests has no port")
        }
        (self.program, self.never, port) = (program, never, number)
    }

    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    /// What it has done so far, a line each; waits until `count` lines begin with `word`.
    func lines(_ count: Int = 0, of word: String = "") throws -> [String] {
        while true {
            // Only whole lines.
            let end = output.lastIndex(of: UInt8(ascii: "\n")) ?? 0
            let lines = String(decoding: output[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
            if lines.count(where: { $0.hasPrefix(word) }) >= count { return lines }
            guard try !program.wait(for: [.standardOutput], or: never, within: .seconds(120)).isEmpty,
                try program.read(.standardOutput, to: &output, limit: 1 << 16) != .end
            else { throw Missing(description: "the camera has not done '\(word)' \(count) times: \(lines)") }
        }
    }

    /// The handles of the pictures that were removed from its card; waits for so many.
    func removed(_ count: Int) throws -> [Int] {
        try lines(count, of: "deleted").filter { $0.hasPrefix("deleted") }.compactMap { Int($0.dropFirst(8)) }
    }

    /// Does what a trigger at its socket does.
    func expose() throws { try program.write(Array("expose\n".utf8)) }

    /// Spoils the next request or download.
    func spoil(_ fault: String) throws { try program.write(Array("fault \(fault)\n".utf8)) }

    /// Breaks its connections.
    func drop() throws { try program.write(Array("drop\n".utf8)) }

    func configuration(
        _ change: (inout GPhotoCameraConfiguration) -> Void = { _ in }
    ) throws -> GPhotoCameraConfiguration {
        var configuration = GPhotoCameraConfiguration(
            port: "ptpip:127.0.0.1:\(port):\(port)", width: Self.width, height: Self.height)
        configuration.helper = try Helper.path.get()
        // As long as a slow machine needs.
        (configuration.startMilliseconds, configuration.patienceMilliseconds) = (600_000, 600_000)
        change(&configuration)
        return configuration
    }

    func camera(
        stamps: StampCorrection = .init(), _ change: (inout GPhotoCameraConfiguration) -> Void = { _ in }
    ) throws -> GPhotoCamera {
        GPhotoCamera(name: "booth", configuration: try configuration(change), stamps: stamps)
    }

    /// The instant that the picture tells of itself.
    static func truth(_ picture: TakenPicture) throws -> LocalTime {
        try truth(jpeg: picture.files.photo ?? [])
    }

    private static func truth(jpeg bytes: [UInt8]) throws -> LocalTime {
        guard bytes.count > 64 else { throw Missing(description: "the file has no picture") }
        let length = Int(bytes[4]) << 8 | Int(bytes[5])
        let comment = String(decoding: bytes[6..<4 + length], as: UTF8.self)
        guard comment.hasPrefix("exposed "), let nanoseconds = Int64(comment.dropFirst(8)) else {
            throw Missing(description: "the picture says '\(comment)'")
        }
        return LocalTime(nanoseconds: nanoseconds)
    }

    /// The instant that a raw file tells of itself, in the one tag of its TIFF directory.
    static func truth(_ raw: CameraRawFile) throws -> LocalTime {
        let comment = String(decoding: raw.bytes.dropFirst(26).prefix { $0 != 0 }, as: UTF8.self)
        guard raw.bytes.starts(with: Array("II*\0".utf8)), comment.hasPrefix("exposed "),
            let nanoseconds = Int64(comment.dropFirst(8))
        else { throw Missing(description: "the raw file says '\(comment)'") }
        return LocalTime(nanoseconds: nanoseconds)
    }

    /// Whether an image is what the camera has stored: what it takes, with a comment.
    static func isWhole(_ picture: TakenPicture) throws -> Bool {
        guard let bytes = picture.files.photo, bytes.count > 64 else { return false }
        return try Array(bytes.prefix(2) + bytes.dropFirst(4 + (Int(bytes[4]) << 8 | Int(bytes[5])))) == self.bytes()
    }

    /// The picture that it takes, without a comment.
    static func bytes() throws -> [UInt8] { try files.get().bytes }

    /// A file with the picture that it takes, made once.
    private static func picture() throws -> String { try files.get().picture }

    private static let files: Result<(folder: TemporaryFolder, picture: String, bytes: [UInt8]), any Error> = Result {
        let folder = try TemporaryFolder()
        let geometry = PlaneGeometry(width: width, height: height, subsampling: .gray)
        let luma = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let none: [UInt8] = []
        var jpeg: [UInt8] = []
        try JPEGEncoder().encode(geometry, y: luma.span, cb: none.span, cr: none.span, quality: 80, into: &jpeg)
        try folder.write(jpeg, as: "picture.jpg")
        return (folder, folder.path + "/picture.jpg", jpeg)
    }
}

/// The helper program, built once from its source against this machine's libgphoto2.
enum Helper {
    static let path: Result<String, any Error> = Result {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let folder = try TemporaryFolder()
        // libgphoto2 keeps settings in the home folder, which no test shares with a person.
        _ = unsafe setenv("HOME", folder.path, 1)
        let built = folder.path + "/caprig-gphoto"
        let build = try ChildProgram(["/\(root)/deploy/gphoto/build", built], outputs: [.standardOutput])
        guard build.ended(within: .seconds(600)) == .exited(status: 0) else {
            throw PTPCamera.Missing(description: "deploy/gphoto/build has failed: is libgphoto2-dev installed?")
        }
        kept.withLock { $0.append(folder) }
        return built
    }

    private static let kept = Locked<[TemporaryFolder]>([])
}
