import CaptureTestSupport
import Foundation
import Glibc
import KeyFiles
import Testing
import ZeroMQ

@Suite struct CredentialTests {
    private let folder: KeyFolder
    private let other: KeyFolder

    init() throws {
        folder = try KeyFolder()
        other = try KeyFolder()
    }

    /// The folder of the service's credentials, as a service manager makes it.
    private var credentials: String { "\(folder.temporary.path)/credentials" }
    private var environment: [String: String] { ["CREDENTIALS_DIRECTORY": credentials] }

    /// Makes a key file a credential.
    private func addCredential(mode: mode_t = 0o440) throws -> CurvePublicKey {
        let key = try other.create().pair.publicKey
        try? FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: other.keyPath, toPath: "\(credentials)/\(KeyFolder.name)")
        try KeyFolder.setMode(mode, "\(credentials)/\(KeyFolder.name)")
        return key
    }

    @Test(arguments: [0o400, 0o440, 0o444, 0o600] as [mode_t])
    func `A credential of the key's name is the key, whatever its mode, and the program's own folder stays unused`(
        mode: mode_t
    ) throws {
        let key = try addCredential(mode: mode)
        let file = try folder.file(environment)
        #expect(file.place == .credentials(credentials, unused: folder.path) && !file.place.canReplace)
        #expect(try file.load().publicKey == key)
        let outcome = try file.loadOrCreate(holder: "node", now: KeyFolder.date)
        #expect(!outcome.isNew && outcome.pair.publicKey == key)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test(arguments: [nil, "", "none", "empty"] as [String?])
    func `Without such a credential the key is in the program's own folder`(value: String?) throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder.temporary.path)/empty", withIntermediateDirectories: false)
        let path = value.map { $0.isEmpty ? "" : "\(folder.temporary.path)/\($0)" }
        let file = try folder.file(path.map { ["CREDENTIALS_DIRECTORY": $0] } ?? [:])
        #expect(file.place == .folder(folder.path) && file.place.canReplace)
        #expect(try file.loadOrCreate(holder: "node", now: KeyFolder.date).isNew)
    }

    @Test func `A credential is not replaced; the refusal says why and what to do instead`() throws {
        let key = try addCredential()
        let file = try folder.file(environment)
        let error = try #require(throws: KeyFileError.self) { try file.replace(holder: "node", now: KeyFolder.date) }
        #expect(error.code == .notReplaceable && error.subject == "\(credentials)/\(KeyFolder.name)")
        #expect(error.reason.contains("a new key would be lost at the next start"))
        #expect(error.remedy.contains("remove LoadCredential=") && error.remedy.contains(folder.path))
        #expect(error.command?.hasPrefix("systemd-creds encrypt --name=node.key_secret ") == true)
        #expect(try file.load().publicKey == key)
        #expect(try file.retired().keys.isEmpty)
    }

    @Test func `A damaged credential is refused, and no key is created in its place`() throws {
        _ = try addCredential(mode: 0o600)
        let path = "\(credentials)/\(KeyFolder.name)"
        try Data("curve\n".utf8).write(to: URL(filePath: path))
        let file = try folder.file(environment)
        let error = try #require(throws: KeyFileError.self) { try file.loadOrCreate(holder: "n", now: KeyFolder.date) }
        #expect(error.code == .incomplete && error.subject == path)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `A symbolic link among the credentials is refused`() throws {
        _ = try addCredential()
        let path = "\(credentials)/\(KeyFolder.name)"
        try FileManager.default.removeItem(atPath: path)
        try #require(unsafe symlink(other.keyPath, path) == 0)
        #expect(try folder.loadError(environment).code == .symbolicLink)
    }

    @Test(.needsRoot) func `A credential of another user is refused`() throws {
        _ = try addCredential()
        try #require(unsafe chown("\(credentials)/\(KeyFolder.name)", OtherUser.number, .max) == 0)
        #expect(try folder.loadError(environment).code == .foreignOwner)
    }

    @Test(.needsRoot)
    func `Credentials that the program may not look through are an error, not a reason for another key`() async throws {
        _ = try addCredential()
        try KeyFolder.setMode(0o700, credentials)
        await #expect(processExitsWith: .success) {
            [path = folder.path as String, credentials = credentials as String] in
            OtherUser.become()
            let error = try #require(throws: KeyFileError.self) {
                try KeyFile(KeyFolder.name, in: path, environment: ["CREDENTIALS_DIRECTORY": credentials])
            }
            try #require(error.code == .notPermitted && error.subject == credentials)
        }
    }

    @Test(.needsRoot, .enabled(if: ExternalTool.isExpected("systemd-creds"), "needs systemd-creds"))
    func `A key file that was encrypted by the command in the documentation is the same key after decryption`() throws {
        let key = try other.create().pair.publicKey
        let sealed = "\(folder.temporary.path)/sealed"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: false)
        // A key that leaves nothing on this machine.
        let encrypting = try ExternalTool.run(
            "systemd-creds", "encrypt", "--with-key=auto-initrd", "--name=\(KeyFolder.name)", other.keyPath, sealed)
        try #require(encrypting.status == 0, "\(encrypting.output)")
        let target = "\(credentials)/\(KeyFolder.name)"
        let decrypting = try ExternalTool.run(
            "systemd-creds", "decrypt", "--name=\(KeyFolder.name)", sealed, target)
        try #require(decrypting.status == 0, "\(decrypting.output)")
        #expect(try folder.file(environment).load().publicKey == key)
    }
}
