import CaptureTestSupport
import Foundation
import Glibc
import KeyFiles
import PosixSupport
import Testing
import ZeroMQ

/// Tests in child processes that give up root's rights.
@Suite(.needsRoot) struct OtherUserTests {
    /// Makes a folder in which the other user may create files.
    private func open(_ folder: KeyFolder) throws {
        try KeyFolder.setMode(0o777, folder.temporary.path)
    }

    @Test func `A user creates and reads a key without any right of root`() async throws {
        let folder = try KeyFolder()
        try open(folder)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become()
            let file = try KeyFile(KeyFolder.name, in: path, environment: [:])
            let key = try file.loadOrCreate(holder: "node", now: KeyFolder.date).pair.publicKey
            try #require(try file.load().publicKey == key)
        }
        let error = try folder.loadError()
        #expect(error.code == .foreignOwner && error.reason.contains("'nobody'"), "root trusts no other user's key")
    }

    @Test func `A user accepts a key that root owns, if the user can read it`() async throws {
        let folder = try KeyFolder(for: .group("nogroup"))
        let key = try folder.create().pair.publicKey
        await #expect(processExitsWith: .success) {
            [path = folder.path as String, key = "\(key)" as String] in
            OtherUser.become()
            let file = try KeyFile(KeyFolder.name, in: path, for: .group("nogroup"), environment: [:])
            try #require("\(try file.load().publicKey)" == key)
        }
    }

    @Test func `A key of another user that this one may not read is refused with the file's name`() async throws {
        let folder = try KeyFolder()
        try folder.create()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become()
            let file = try KeyFile(KeyFolder.name, in: path, environment: [:])
            let error = try #require(throws: KeyFileError.self) { try file.load() }
            try #require(error.code == .notPermitted && error.subject == path && error.reason.contains("'nobody'"))
            let creating = try #require(throws: KeyFileError.self) {
                try file.loadOrCreate(holder: "node", now: KeyFolder.date)
            }
            try #require(creating.code == .notPermitted)
        }
    }

    @Test func `A member of the group reads the shared key; others learn which command admits them`() async throws {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        #expect(try folder.create().sharing == .group(OtherUser.group))
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become(withGroup: OtherUser.group)
            let file = try KeyFile(KeyFolder.name, in: path, for: .group(OtherUser.group), environment: [:])
            _ = try file.load()
        }
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become()
            let file = try KeyFile(KeyFolder.name, in: path, for: .group(OtherUser.group), environment: [:])
            let error = try #require(throws: KeyFileError.self) { try file.load() }
            try #require(error.code == .notPermitted && error.reason.contains("members of group 'games' may"))
            try #require(error.command == "usermod --append --groups games nobody")
        }
    }

    @Test func `A member of the group reads the shared key of a daemon's user, but no key with another group`()
        async throws
    {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        try folder.create()
        let daemon: uid_t = 1
        for path in [folder.path, folder.keyPath] { try #require(unsafe chown(path, daemon, .max) == 0) }
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become(withGroup: OtherUser.group)
            let file = try KeyFile(KeyFolder.name, in: path, for: .group(OtherUser.group), environment: [:])
            _ = try file.load()
        }
        let nogroup = try #require(Accounts.group(named: "nogroup"))
        try #require(unsafe chown(folder.keyPath, daemon, nogroup) == 0)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become(withGroup: OtherUser.group)
            let file = try KeyFile(KeyFolder.name, in: path, for: .group(OtherUser.group), environment: [:])
            let error = try #require(throws: KeyFileError.self) { try file.load() }
            try #require(error.code == .foreignOwner && error.reason.contains("'daemon'"))
        }
    }

    @Test func `A user who is not a member of the group gets a private key, and learns how to share it`() async throws {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        try open(folder)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become()
            let file = try KeyFile(KeyFolder.name, in: path, for: .group(OtherUser.group), environment: [:])
            let outcome = try file.loadOrCreate(holder: "node", now: KeyFolder.date)
            guard case .notShared("games", file.path, .refused(let error)) = outcome.sharing else {
                throw outcome.sharing.notice.map(Unexpected.init) ?? Unexpected("shared")
            }
            try #require(error.code == EPERM && outcome.isNew)
        }
        #expect(try KeyFolder.mode(folder.keyPath) == 0o600)
        #expect(try KeyFolder.mode(folder.path) == 0o700)
    }

    @Test func `In a folder that gives its group to files, a user who is not a member of it shares the key`()
        async throws
    {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        let games = try #require(Accounts.group(named: OtherUser.group))
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        try #require(unsafe chown(folder.path, OtherUser.number, games) == 0)
        try KeyFolder.setMode(0o2750, folder.path)
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            OtherUser.become()
            let file = try KeyFile(KeyFolder.name, in: path, for: .group(OtherUser.group), environment: [:])
            let outcome = try file.loadOrCreate(holder: "node", now: KeyFolder.date)
            try #require(outcome.sharing == .group("games"))
        }
        #expect(try KeyFolder.mode(folder.keyPath) == 0o640)
    }
}

private struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
