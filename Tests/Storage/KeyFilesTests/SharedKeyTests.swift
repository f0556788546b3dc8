import CaptureTestSupport
import Glibc
import KeyFiles
import PosixSupport
import Testing
import ZeroMQ

@Suite struct SharedKeyTests {
    @Test(.needsRoot) func `The key of a group has mode 0640 in a folder of mode 0750, both with the group`() throws {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        let outcome = try folder.create()
        #expect(outcome.sharing == .group(OtherUser.group) && outcome.sharing.notice == nil)
        #expect(try KeyFolder.mode(folder.keyPath) == 0o640)
        #expect(try KeyFolder.mode(folder.path) == 0o750)
        #expect(try KeyFolder.group(folder.keyPath) == OtherUser.group)
        #expect(try KeyFolder.group(folder.path) == OtherUser.group)
        #expect(try folder.create().sharing == .group(OtherUser.group))
    }

    @Test func `Where the group does not exist, the key is its owner's only, and the outcome says so`() throws {
        let folder = try KeyFolder(for: .group("caprig-no-such"))
        let outcome = try folder.create()
        #expect(outcome.sharing == .notShared(group: "caprig-no-such", path: folder.keyPath, .noSuchGroup))
        let notice = try #require(outcome.sharing.notice)
        #expect(notice.contains("no group 'caprig-no-such'") && notice.contains(folder.keyPath))
        #expect(
            notice.contains("groupadd --system caprig-no-such && chgrp caprig-no-such \(folder.path) \(folder.keyPath)")
        )
        #expect(try KeyFolder.mode(folder.keyPath) == 0o600)
        #expect(try KeyFolder.mode(folder.path) == 0o700)
        #expect(try folder.create().sharing == outcome.sharing, "every start says so")
    }

    @Test func `Without the group, a key that a group can read is refused`() throws {
        let folder = try KeyFolder(for: .group("caprig-no-such"))
        try folder.create()
        try KeyFolder.setMode(0o640, folder.keyPath)
        #expect(try folder.loadError().code == .looseMode)
    }

    @Test(.needsRoot) func `A key that was private before stays so, and the notice's command shares it`() throws {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        let file = try KeyFile(KeyFolder.name, in: folder.path, environment: [:])
        let key = try file.loadOrCreate(holder: "n", now: KeyFolder.date).pair.publicKey
        let outcome = try folder.create()
        #expect(outcome.sharing == .notShared(group: OtherUser.group, path: folder.keyPath, .narrower))
        #expect(outcome.pair.publicKey == key)
        #expect(try KeyFolder.mode(folder.keyPath) == 0o600)
        let notice = try #require(outcome.sharing.notice)
        let command = try #require(notice.split(separator: "run: ").last)
        #expect(try ExternalTool.run("sh", "-c", String(command)).status == 0)
        #expect(try folder.create().sharing == .group(OtherUser.group))
    }

    @Test(.needsRoot) func `A key that another group can read is refused, and the command in the message mends it`()
        throws
    {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        let key = try folder.create().pair.publicKey
        for path in [folder.keyPath, folder.path] {
            try #require(unsafe chown(path, .max, 0) == 0)
            let error = try folder.loadError()
            #expect(error.code == .wrongGroup && error.subject == path)
            #expect(error.reason.contains("'root'") && error.reason.contains("'games'"))
            #expect(try folder.mend(error).publicKey == key)
        }
    }

    @Test(.needsRoot, arguments: [0o644, 0o660, 0o650] as [mode_t])
    func `A shared key that others than the group can use is refused, and stays shared once mended`(mode: mode_t) throws
    {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        let key = try folder.create().pair.publicKey
        try KeyFolder.setMode(mode, folder.keyPath)
        let error = try folder.loadError()
        #expect(error.code == .looseMode && error.reason.contains("0640"))
        #expect(try folder.mend(error).publicKey == key)
        #expect(try folder.create().sharing == .group(OtherUser.group))
    }

    @Test(.needsRoot) func `A crash at any step of creating a shared key never opens it to others`() throws {
        let counting = try KeyFolder(for: .group(OtherUser.group))
        counting.disk.fail(nil)
        try counting.create()
        for step in counting.disk.steps.indices {
            let folder = try KeyFolder(for: .group(OtherUser.group))
            folder.disk.fail(.crash(at: step))
            #expect(throws: KeyFileError.self) { try folder.create() }
            for name in (try? folder.names()) ?? [] {
                #expect(try KeyFolder.mode("\(folder.path)/\(name)") & 0o137 == 0)
            }
            folder.disk.fail(nil)
            let key = try folder.create()
            #expect(key.sharing == .group(OtherUser.group), "\(step)")
            #expect(try folder.names() == [KeyFolder.name])
        }
    }
}

@Suite struct AdminKeyTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func adminKey(_ group: String = "root", fault: FileFault? = nil) throws -> AdminKey {
        try AdminKey(in: "\(folder.path)/admin", group: group, fault: fault)
    }

    @Test func `A program on the coordinator's machine finds the admin key, the coordinator's key and its endpoint`()
        throws
    {
        let coordinator = try CurveKeyPair.generate().publicKey
        let admin = try adminKey()
        let key = try admin.keyFile.loadOrCreate(holder: "administrators", now: KeyFolder.date)
        let missing = #expect(throws: KeyFileError.self) { try admin.load() }
        #expect(missing?.code == .missing && missing?.subject.hasSuffix("/admin/coordinator.key") == true)
        try admin.publish(coordinator, holder: "coordinator", endpoint: "tcp://192.168.10.1:7713")
        let access = try adminKey().load()
        #expect(access.pair.publicKey == key.pair.publicKey && access.coordinator == coordinator)
        #expect(access.endpoint == "tcp://192.168.10.1:7713")
    }

    @Test func `A coordinator that starts with another key or port replaces what it has told`() throws {
        let admin = try adminKey()
        _ = try admin.keyFile.loadOrCreate(holder: "administrators", now: KeyFolder.date)
        for port in 1...3 {
            let coordinator = try CurveKeyPair.generate().publicKey
            try admin.publish(coordinator, holder: "coordinator", endpoint: "tcp://127.0.0.1:\(port)")
            #expect(try admin.load().coordinator == coordinator)
            #expect(try admin.load().endpoint == "tcp://127.0.0.1:\(port)")
        }
        #expect(try folder.names("admin") == [".coordinator.key.lock", "admin.key_secret", "coordinator.key"])
    }

    @Test(arguments: ["", "curve\n", "curve\n    public-key = \"x\"\n", "curve"])
    func `A damaged file of the coordinator's key is refused, and a start of the coordinator mends it`(text: String)
        throws
    {
        let admin = try adminKey()
        _ = try admin.keyFile.loadOrCreate(holder: "administrators", now: KeyFolder.date)
        let coordinator = try CurveKeyPair.generate().publicKey
        try admin.publish(coordinator, holder: "coordinator", endpoint: "tcp://127.0.0.1:7713")
        try folder.write(text, to: "admin/coordinator.key")
        let path = "\(folder.path)/admin/coordinator.key"
        try KeyFolder.setMode(0o600, path)
        let error = #expect(throws: KeyFileError.self) { try admin.load() }
        #expect(error?.subject == path && error?.remedy.contains("restart the coordinator") == true)
        try admin.publish(coordinator, holder: "coordinator", endpoint: "tcp://127.0.0.1:7713")
        #expect(try admin.load().coordinator == coordinator)
    }

    @Test func `The key is for the group caprig-admin, in the folder of the coordinator's service`() throws {
        #expect(try AdminKey(in: "/x").keyFile.audience == .group("caprig-admin"))
        #expect(AdminKey.serviceFolder == "/var/lib/caprig/coordinator/admin")
    }
}
