import CaptureModel
import CaptureTestSupport
import Foundation
import ShotDocuments
import Testing

/// An integer that may need 64 bits, which `capctl` prints as a decimal string.
struct DecimalText<Value: FixedWidthInteger & Sendable>: Decodable, Sendable {
    var value: Value

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Value(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no \(Value.self)")
        }
        self.value = value
    }
}

/// `capctl trigger --format json`, as far as the tests read it.
struct ShotAnswer: Decodable, Sendable {
    var files: [File]
    var folder: String
    var notConfigured: [String]?
    private var manifest: ShotDocument

    var shot: Shot { manifest.value }

    private enum CodingKeys: String, CodingKey {
        case files, folder, notConfigured
        case manifest = "shot"
    }

    struct File: Decodable, Sendable {
        var boundNanoseconds: DecimalText<Int64>?
        var byteCount: DecimalText<Int64>?
        var device: DeviceID
        var outcome: CapturedFile.Outcome
        var path: String?
        var problem: RigProblem?
        var sha256: String?
        var skewNanoseconds: DecimalText<Int64>?
    }

    /// The file of a camera written `node/device`.
    func file(_ device: String) throws -> File {
        guard let found = files.first(where: { $0.device.description == device }) else {
            throw SystemTestError("the answer says nothing of \(device)")
        }
        return found
    }

    var storedPaths: [String] { files.compactMap(\.path) }
}

/// `capctl status --format json`.
struct StatusAnswer: Decodable {
    var nodes: [Node]
    var openShots: Int
    var libraryProblem: String?

    struct Node: Decodable {
        var node: String
        var connected: Bool
        var devices: Int
        var devicesRunning: Int
        var clockBoundNanoseconds: DecimalText<Int64>?
        var ringDepthNanoseconds: DecimalText<Int64>
        var spoolShortage: String?
    }
}

/// `capctl keys list --format json`.
struct KeysAnswer: Decodable, Sendable {
    var coordinator: Coordinator
    var requests: [Request]

    struct Coordinator: Decodable, Sendable {
        var fingerprint: String
        var key: String
    }

    struct Request: Decodable, Sendable {
        var name: String
        var role: String
        var fingerprint: String
    }
}

/// `capctl devices --format json`.
struct DevicesAnswer: Decodable {
    var devices: [Item]

    struct Item: Decodable {
        var device: Device
        var condition: Condition
    }

    struct Device: Decodable {
        var id: String
    }

    struct Condition: Decodable {
        var state: String
        var reason: String?
        var counters: [String: DecimalText<UInt64>]
    }

    func condition(_ device: String) throws -> Condition {
        guard let found = devices.first(where: { $0.device.id == device }) else {
            throw SystemTestError("the roster has no \(device)")
        }
        return found.condition
    }
}

/// A line of `capctl events --format json`.
struct EventLine: Decodable {
    var name: String
    var device: String?
    var shot: String?
    var node: String?
    var details: [String: String]
}

/// `capctl demo --format json`.
struct DemoAnswer: Decodable {
    var stills: Int
    var eachExactlyOnce: Bool
    var shots: [Item]
    var dequeueToDurable: Latency
    var timeToDurable: Latency

    struct Item: Decodable {
        var id: ShotID
        var folder: String
        var status: String
    }

    struct Latency: Decodable {
        var p50Nanoseconds: DecimalText<Int64>
        var p95Nanoseconds: DecimalText<Int64>
    }
}

/// `capctl events`, running: what happens on the rig, as it happens.
final class EventTail: Sendable {
    private let program: RunningProgram

    /// Follows the rig from the oldest event that its coordinator holds.
    init(of rig: TestRig) throws {
        program = try rig.capctl.start(["events", "--replay", "--format", "json"])
    }

    /// The next event that `matches` accepts; those before it are passed over.
    @discardableResult
    func next(
        within limit: Duration = TestRig.patience, where matches: @Sendable @escaping (EventLine) -> Bool
    ) async throws -> EventLine {
        let line = try await program.nextLine(within: limit) { line in Self.event(line).map(matches) ?? false }
        guard let event = Self.event(line) else { throw SystemTestError("no event: \(line)") }
        return event
    }

    /// Waits for this many events of this name.
    func wait(for name: String, count: Int = 1) async throws {
        for _ in 0..<count { try await next { $0.name == name } }
    }

    private static func event(_ line: String) -> EventLine? {
        try? JSONDecoder().decode(EventLine.self, from: Data(line.utf8))
    }
}

/// Tells of every change of a folder's entries (inotify), from its making on.
final class FolderWatch: Sendable {
    /// What happened to an entry.
    struct Change: Sendable {
        var name: String
        var kind: Kind
    }

    enum Kind: Sendable {
        /// Made, or moved in.
        case came
        /// Removed, or moved away.
        case went
    }

    private let changes: AsyncStream<Change>
    private let handle: FileHandle
    private let path: String

    init(_ path: String) throws {
        self.path = path
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard descriptor >= 0,
            unsafe inotify_add_watch(descriptor, path, Self.cameMask | Self.wentMask) >= 0
        else { throw SystemTestError("\(path) cannot be watched: errno \(errno)") }
        let (stream, continuation) = AsyncStream.makeStream(of: Change.self)
        changes = stream
        handle.readabilityHandler = { handle in
            for change in Self.changes(in: [UInt8](handle.availableData)) { continuation.yield(change) }
        }
    }

    deinit {
        handle.readabilityHandler = nil
    }

    /// Waits for the change number `count` of this kind, counted from the watch's making or the last wait.
    func wait(for kind: Kind, count: Int = 1, within limit: Duration) async throws {
        try await within(limit, "\(count) changes in \(path)") { [changes] in
            var seen = 0
            for await change in changes where change.kind == kind {
                seen += 1
                if seen == count { return }
            }
        }
    }

    /// Waits until nothing is in the folder.
    func waitUntilEmpty(within limit: Duration) async throws {
        try await within(limit, "\(path) to be empty") { [changes, path] in
            if try FileManager.default.contentsOfDirectory(atPath: path).isEmpty { return }
            for await _ in changes where try FileManager.default.contentsOfDirectory(atPath: path).isEmpty { return }
        }
    }

    private static let cameMask = UInt32(IN_CREATE | IN_MOVED_TO)
    private static let wentMask = UInt32(IN_DELETE | IN_MOVED_FROM)

    /// struct inotify_event: watch, mask, cookie, length of the name, the name padded with NUL.
    private static func changes(in buffer: [UInt8]) -> [Change] {
        var found: [Change] = []
        var at = 0
        while at + 16 <= buffer.count {
            let mask = word(buffer, at + 4)
            let length = Int(word(buffer, at + 12))
            let name = String(decoding: buffer[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
            if mask & (cameMask | wentMask) != 0 {
                found.append(Change(name: name, kind: mask & cameMask != 0 ? .came : .went))
            }
            at += 16 + length
        }
        return found
    }

    private static func word(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }
    }
}

/// Ports that a coordinator can take, and take again after a restart.
enum FreePorts {
    /// The first of six neighboring ports that are free. They lie below the range from which the system gives ports to
    /// outgoing connections, so that between two lives of a coordinator nobody is given one by accident.
    static func base() throws -> UInt16 {
        for _ in 0..<1000 {
            let base = UInt16.random(in: 10_000...32_000)
            if (base..<base + 6).allSatisfy(isFree) { return base }
        }
        throw SystemTestError("there are no six neighboring free ports")
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// The release programs under test; `CAPRIG_BIN` names their folder.
enum Programs {
    static let variable = "CAPRIG_BIN"

    static var folder: String? { ProcessInfo.processInfo.environment[variable] }

    /// Whether tests run: where the programs are named, and always where `CI=true`, so that there a missing name is a
    /// failure.
    static var areExpected: Bool { folder != nil || isCI }

    static var isCI: Bool { ProcessInfo.processInfo.environment["CI"] == "true" }

    /// Whether a test that only root can run runs: as root, and always where `CI=true`.
    static var isRootExpected: Bool { geteuid() == 0 || isCI }

    /// - Throws: ``SystemTestError`` where the variable is not set or the program is not there.
    static func path(_ name: String) throws -> String {
        guard let folder else { throw SystemTestError("\(variable) is not set; it names the folder of the programs") }
        let path = URL(filePath: folder).appending(path: name).path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw SystemTestError("\(path) is not a program; \(variable) names the folder of the programs")
        }
        return path
    }
}

extension Programs {
    /// Whether a path is that of a program which runs until it is told to end.
    static func isDaemon(_ path: String) -> Bool {
        ["capagentd", "capcoordd", "capwebd"].contains(URL(filePath: path).lastPathComponent)
    }
}

extension Trait where Self == ConditionTrait {
    static var needsPrograms: Self {
        .enabled(if: Programs.areExpected, "needs release programs; CAPRIG_BIN names their folder")
    }

    static var needsRoot: Self { .enabled(if: Programs.isRootExpected, "needs root") }

    static func needs(_ tools: String...) -> Self {
        .enabled(if: tools.allSatisfy(ExternalTool.isExpected), "needs \(tools.joined(separator: " and "))")
    }
}

/// Why a test cannot go on.
struct SystemTestError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Every test of this target, one after another: each has processes of its own and the machine to itself.
@Suite("system", .serialized, .needsPrograms, .printsDaemonLogs, .compactMapIssues(DaemonLogs.noteFailure))
enum System {}

/// Runs `body`; when it has not ended after `limit` it is cancelled, and that is a failure.
/// - Parameter what: What was waited for.
func within(
    _ limit: Duration, _ what: String, _ body: @Sendable @escaping () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw SystemTestError("waited in vain for \(what) for \(limit)")
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}
