import CaptureTestSupport
import Foundation
import Glibc
import KeyFiles
import PosixSupport
import Testing
import ZeroMQ

/// A fresh folder, with the key file that a test creates in a folder of it.
struct KeyFolder {
    let temporary: TemporaryFolder
    let disk = FaultyDisk()
    let audience: Audience

    static let name = "node.key_secret"
    static let date = UTCDate(realtimeNanoseconds: 1_795_629_723_000_000_000)

    init(for audience: Audience = .owner) throws {
        temporary = try TemporaryFolder()
        self.audience = audience
        // Other users must be able to reach the folder of a shared key.
        try Self.setMode(0o755, temporary.path)
    }

    /// The folder of the key.
    var path: String { "\(temporary.path)/keys" }
    /// The key file.
    var keyPath: String { "\(path)/\(Self.name)" }

    func file(_ environment: [String: String] = [:]) throws -> KeyFile {
        try KeyFile(Self.name, in: path, for: audience, environment: environment, fault: disk.fault)
    }

    @discardableResult
    func create() throws -> KeyOutcome {
        try file().loadOrCreate(holder: "node left-arm", now: Self.date)
    }

    /// The error of reading the key.
    func loadError(_ environment: [String: String] = [:]) throws -> KeyFileError {
        try #require(throws: KeyFileError.self) { try file(environment).load() }
    }

    /// Runs the command of an error, as a person would, and reads the key.
    func mend(_ error: KeyFileError) throws -> CurveKeyPair {
        let command = try #require(error.command)
        let outcome = try ExternalTool.run("sh", "-c", command)
        try #require(outcome.status == 0, "\(command): \(outcome.output)")
        return try file().load()
    }

    /// Puts other content into the key file, with its mode.
    func overwrite(_ bytes: [UInt8]) throws {
        try temporary.write(bytes, as: "keys/\(Self.name)")
        try Self.setMode(0o600, keyPath)
    }

    func names() throws -> [String] { try temporary.names("keys") }

    static func setMode(_ mode: mode_t, _ path: String) throws {
        try #require(unsafe chmod(path, mode) == 0, "\(path)")
    }

    static func mode(_ path: String) throws -> UInt32 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).uint32Value
    }

    static func group(_ path: String) throws -> String {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return Accounts.name(ofGroup: try #require(attributes[.groupOwnerAccountID] as? NSNumber).uint32Value)
    }
}

/// A user without rights, for tests that root runs.
enum OtherUser {
    static let name = "nobody"
    static let number: uid_t = 65_534
    /// A group of every Debian that no test's user is a member of by accident.
    static let group = "games"

    static let isExpected = geteuid() == 0 || ProcessInfo.processInfo.environment["CI"] == "true"

    /// Makes this process, a child that an exit test has for itself, one of the user.
    /// - Parameter group: A further group that it is a member of.
    static func become(withGroup group: String? = nil) {
        let groups: [gid_t] = group.flatMap(Accounts.group(named:)).map { [$0] } ?? []
        let isGrouped = unsafe setgroups(groups.count, groups) == 0
        precondition(isGrouped && setgid(number) == 0 && setuid(number) == 0)
    }
}

extension Trait where Self == ConditionTrait {
    static var needsRoot: Self { .enabled(if: OtherUser.isExpected, "needs root") }
}
