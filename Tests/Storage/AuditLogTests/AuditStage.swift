import CaptureModel
import CaptureTestSupport
import Foundation
import PosixSupport

@testable import AuditLog

/// A folder for a log, its disk and its clock.
struct AuditStage {
    let folder: TemporaryFolder
    let disk = FaultyDisk()
    let clock = ManualTimeSource()

    init() throws {
        folder = try TemporaryFolder()
    }

    var path: String { folder.path + "/audit" }

    func open(limitBytes: Int64 = 1 << 20, queueLimit: Int = 4096) throws -> AuditLog {
        try AuditLog(
            folder: path, limitBytes: limitBytes, queueLimit: queueLimit, clock: clock,
            executor: try ThreadExecutor(name: "audit"), fault: disk.fault)
    }

    func reader() throws -> AuditReader { try AuditReader(folder: path) }

    /// The files of the log, oldest first.
    func files() throws -> [String] { try folder.names("audit").filter { $0.hasSuffix(".audit") } }

    func bytes(_ file: String) throws -> [UInt8] { try folder.read("audit/" + file) }

    func put(_ bytes: [UInt8], as file: String) throws {
        try Data(bytes).write(to: URL(filePath: "\(path)/\(file)"))
    }

    func remove(_ file: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(file)") }

    /// Removes the files of the log.
    func clear() throws {
        for file in try files() { try FileManager.default.removeItem(atPath: "\(path)/\(file)") }
    }

    func kinds() async throws -> [AuditKind] {
        try await reader().list(limit: 100).records.reversed().map(\.entry.kind)
    }
}

extension AuditEntry {
    /// An entry with everything in it that needs an escape.
    static func sample(_ number: Int) -> AuditEntry {
        AuditEntry(
            .admission, by: AuditPrincipal(name: "left-arm", fingerprint: "7f:3a"), subject: "key \(number)",
            details: ["note": "ä \"\\\n\u{7F}\u{9B}", "address": "192.168.10.7"])
    }
}
