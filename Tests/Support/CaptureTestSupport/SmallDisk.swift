internal import Foundation
public import FoundationEssentials
import Glibc
public import PosixSupport
import Synchronization

/// A file system of its own, small enough that a test can fill a real disk. Needs the right to mount.
public final class SmallDisk: Sendable {
    /// Whether this machine lets the test mount; tried once.
    public static let isAvailable = (try? SmallDisk()) != nil
    /// In CI a missing right is a failure, not a reason to skip.
    public static let isRequired = ProcessInfo.processInfo.environment["CI"] == "true"

    /// `mount` has refused.
    public struct CannotMount: Error {
        public var status: Int32
    }

    /// Where it is mounted.
    public let folder: TemporaryFolder
    public var path: String { folder.path }

    /// Mounts it.
    /// - Throws: ``CannotMount``.
    public init(kilobytes: Int = 512) throws {
        folder = try TemporaryFolder()
        let command = ["mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]
        let status = try ExternalTool.run(command).status
        guard status == 0 else { throw CannotMount(status: status) }
    }

    /// Fills it, but for so many bytes, by a file of this name.
    public func fill(leaving rest: Int, as name: String = "filler") throws {
        let attributes = try FileManager.default.attributesOfFileSystem(forPath: path)
        let free = (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        try Data(count: max(0, free - rest)).write(to: URL(filePath: "\(path)/\(name)"))
    }

    /// Gives back what ``fill(leaving:as:)`` has taken under its own name.
    public func free() throws {
        try FileManager.default.removeItem(atPath: path + "/filler")
    }

    deinit {
        _ = try? ExternalTool.run("umount", folder.path)
    }
}

/// Runs a program that nobody here wrote, to check what the code under test made.
public enum ExternalTool {
    /// How a program ended and what it said.
    public struct Outcome: Sendable {
        public var status: Int32
        /// Standard output and standard error together.
        public var output: String
    }

    /// Runs a program to its end, blocking the calling thread.
    /// - Parameter command: Name, looked up in `PATH`, and arguments.
    /// - Throws: What the system says when it cannot be started.
    public static func run(_ command: String...) throws -> Outcome {
        try run(command)
    }

    /// Runs a program to its end, blocking the calling thread; see ``run(_:)-(String...)``.
    public static func run(_ command: [String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Outcome(status: process.terminationStatus, output: String(decoding: output, as: UTF8.self))
    }

    /// Whether a test that needs this program runs: where it is installed, and always where `CI=true`, so that there its
    /// absence is a failure.
    public static func isExpected(_ name: String) -> Bool {
        ProcessInfo.processInfo.environment["CI"] == "true" || (try? run("which", name))?.status == 0
    }
}

/// A disk that fails on order, and remembers every step it was asked for. Usable from any thread.
public final class FaultyDisk: Sendable {
    public enum Failure: Sendable {
        /// From this step on nothing works, as when the process is killed just before it.
        case crash(at: Int)
        /// Only this step fails.
        case once(at: Int, code: CInt)
        /// Every step of this kind fails.
        case every(FileStep, code: CInt)
    }

    private struct State: Sendable {
        var failure: Failure?
        var steps: [FileStep] = []
    }

    private let state = Locked(State())

    public init() {}

    /// Forgets the steps so far and fails as told from here on.
    public func fail(_ failure: Failure?) {
        state.withLock { $0 = State(failure: failure) }
    }

    /// The steps since the last call of ``fail(_:)``.
    public var steps: [FileStep] { state.withLock { $0.steps } }

    /// To be given to what works on files.
    public var fault: FileFault {
        { [self] step, _ in
            state.withLock { state in
                let index = state.steps.count
                state.steps.append(step)
                switch state.failure {
                case .crash(let at) where index >= at: return EIO
                case .once(let at, let code) where index == at: return code
                case .every(let kind, let code) where kind == step: return code
                default: return nil
                }
            }
        }
    }
}

/// Copies of the manifests that a test has had written, for `make check-manifests`.
enum KeptManifests {
    /// Where they are kept; nil where nobody wants them.
    private static let place = ProcessInfo.processInfo.environment["CAPRIG_KEEP_MANIFESTS"]

    /// Copies every manifest below a folder that goes.
    /// - Parameter written: Paths below the folder of those that the test has written itself, which may be damaged on purpose.
    static func keep(from folder: URL, butFor written: Set<String>) {
        guard let place, let paths = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false)) else {
            return
        }
        for case let path as String in paths where path.hasSuffix("/shot.json") || path.hasSuffix("/take.json") {
            guard !written.contains(path) else { continue }
            let name = "\(folder.lastPathComponent)/\(path)".replacing("/", with: "_")
            try? FileManager.default.copyItem(at: folder.appending(path: path), to: URL(filePath: "\(place)/\(name)"))
        }
    }
}

/// A fresh folder that is removed, with all it holds, when the last reference to it goes.
public final class TemporaryFolder: Sendable {
    /// The folder; absolute.
    public let url: URL
    /// Names that tests have written with ``write(_:as:)``.
    private let written = Mutex<Set<String>>([])

    /// - Throws: What the file system says when the folder cannot be made.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "caprig-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        KeptManifests.keep(from: url, butFor: written.withLock { $0 })
        try? FileManager.default.removeItem(at: url)
    }

    /// Calls `body` with a fresh folder, which is removed when it returns.
    public static func use<Result>(_ body: (URL) throws -> Result) throws -> Result {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { try body(folder.url) }
    }

    /// The folder's absolute path.
    public var path: String { url.path(percentEncoded: false) }

    /// Writes a file into the folder.
    /// - Returns: Its path.
    @discardableResult
    public func write(_ bytes: [UInt8], as name: String) throws -> String {
        let file = url.appending(path: name)
        _ = written.withLock { $0.insert(name) }
        try Data(bytes).write(to: file)
        return file.path(percentEncoded: false)
    }

    /// Writes a file into the folder.
    public func write(_ text: String, to name: String) throws {
        try write(Array(text.utf8), as: name)
    }

    /// The bytes of a file in the folder.
    public func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: url.appending(path: name)))
    }

    /// What the folder, or one inside it, holds, in order.
    public func names(_ inner: String = "") throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(inner)").sorted()
    }
}
