import CaptureTestSupport
import Foundation
import Glibc
import KeyFiles
import PosixSupport
import Testing
import ZeroMQ

@Suite struct ReplacingTests {
    private let folder: KeyFolder

    init() throws { folder = try KeyFolder() }

    private static let later = UTCDate(realtimeNanoseconds: 1_795_716_123_000_000_000)
    private static let datedName = "\(KeyFolder.name).20261126T180203Z"

    private func replace() throws -> KeyReplacement {
        try folder.file().replace(holder: "node left-arm", now: Self.later)
    }

    @Test func `A rotation puts a new key in place and keeps the old one under a dated name until it is ended`() throws
    {
        let old = try folder.create().pair
        let replacement = try replace()
        #expect(replacement.current.publicKey != old.publicKey && replacement.sharing == .ownerOnly)
        #expect(try folder.file().load().publicKey == replacement.current.publicKey)
        #expect(replacement.retired.name == Self.datedName)
        let retired = try folder.file().retired()
        #expect(retired.keys.map(\.name) == [Self.datedName] && retired.problems.isEmpty)
        #expect(retired.keys.first?.pair.secretKey.z85 == old.secretKey.z85)
        #expect(try KeyFolder.mode("\(folder.path)/\(Self.datedName)") == 0o600)
        try folder.file().remove(replacement.retired)
        try folder.file().remove(replacement.retired)
        #expect(try folder.file().retired().keys.isEmpty)
        #expect(try folder.names() == [".\(KeyFolder.name).lock", KeyFolder.name])
    }

    @Test func `Rotations of the same second keep every old key`() throws {
        var keys = [try folder.create().pair.publicKey]
        for _ in 0..<3 { keys.append(try replace().current.publicKey) }
        let retired = try folder.file().retired().keys
        #expect(retired.map(\.name) == [Self.datedName, "\(Self.datedName)-2", "\(Self.datedName)-3"])
        #expect(retired.map(\.pair.publicKey) == keys.dropLast())
    }

    @Test func `After a crash before any step the file has the whole old or the whole new key, and no key is lost`()
        throws
    {
        folder.disk.fail(nil)
        try folder.create()
        folder.disk.fail(nil)
        _ = try replace()
        let steps = folder.disk.steps
        var outcomes: Set<String> = []
        for step in steps.indices {
            let folder = try KeyFolder()
            let old = try folder.create().pair.publicKey
            folder.disk.fail(.crash(at: step))
            #expect(throws: KeyFileError.self, "\(step)") {
                try folder.file().replace(holder: "n", now: Self.later)
            }
            folder.disk.fail(nil)
            let found = try folder.file().load().publicKey
            let retired = try folder.file().retired().keys.map(\.pair.publicKey)
            #expect(found == old ? retired.isEmpty : retired == [old], "\(step)")
            outcomes.insert(found == old ? "old" : "new")
            let next = try folder.file().replace(holder: "n", now: Self.later)
            #expect(next.retired.pair.publicKey == found)
            let kept = try folder.file().retired().keys.map(\.pair.publicKey)
            #expect(kept == (found == old ? [old] : [old, found]), "\(step), each key once")
            #expect(try folder.names().allSatisfy { !$0.hasSuffix(".new") })
        }
        #expect(outcomes == ["old", "new"])
    }

    @Test func `A file system without links refuses a rotation and keeps the key`() throws {
        let key = try folder.create().pair.publicKey
        folder.disk.fail(.every(.rename, code: EIO))
        #expect(throws: KeyFileError.self) { try replace() }
        folder.disk.fail(nil)
        #expect(try folder.file().load().publicKey == key)
    }

    @Test func `A second rotation at the same time is refused with the process that performs the first`() throws {
        let key = try folder.create().pair.publicKey
        let lock = try FolderLock(Folder(opening: folder.path), name: ".\(KeyFolder.name).lock")
        let error = try #require(throws: KeyFileError.self) { try replace() }
        #expect(error.code == .inUse && error.reason.contains("process \(getpid())"))
        #expect(try folder.file().load().publicKey == key)
        withExtendedLifetime(lock) {}
        #expect(throws: KeyFileError.self) { try replace() }
    }

    @Test func `Rotations of several threads lose no key`() throws {
        let first = try folder.create().pair.publicKey
        let made = Locked<[CurvePublicKey]>([first])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            guard let key = try? folder.file().replace(holder: "n", now: Self.later).current.publicKey else { return }
            made.withLock { $0.append(key) }
        }
        let current = try folder.file().load().publicKey
        let kept = try folder.file().retired().keys.map(\.pair.publicKey)
        #expect(Set(kept + [current]) == Set(made.withLock { $0 }) && made.withLock { $0.count } > 1)
    }

    @Test func `Without a key there is nothing to replace`() throws {
        let missing = try #require(throws: KeyFileError.self) { try replace() }
        #expect(missing.code == .missing)
        #expect(try folder.file().retired().keys.isEmpty)
    }

    @Test func `A key that cannot be read is not replaced`() throws {
        try folder.create()
        try KeyFolder.setMode(0o644, folder.keyPath)
        let error = try #require(throws: KeyFileError.self) { try replace() }
        #expect(error.code == .looseMode)
        #expect(try folder.names() == [".\(KeyFolder.name).lock", KeyFolder.name])
    }

    @Test func `A damaged old key is reported and does not hide the others`() throws {
        let old = try folder.create().pair.publicKey
        _ = try replace()
        try folder.temporary.write("", to: "keys/\(KeyFolder.name).20200101T000000Z")
        try KeyFolder.setMode(0o600, "\(folder.path)/\(KeyFolder.name).20200101T000000Z")
        let retired = try folder.file().retired()
        #expect(retired.keys.map(\.pair.publicKey) == [old])
        #expect(retired.problems.map(\.code) == [.incomplete])
    }

    @Test func `A rotation is refused while the most old keys are kept, until one is ended`() throws {
        try folder.create()
        for _ in 0..<KeyFile.retiredLimit { _ = try replace() }
        let key = try folder.file().load().publicKey
        let error = try #require(throws: KeyFileError.self) { try replace() }
        #expect(error.code == .tooManyRetired && error.reason.contains("\(KeyFile.retiredLimit)"))
        #expect(try folder.file().load().publicKey == key)
        let oldest = try #require(try folder.file().retired().keys.first)
        try folder.file().remove(oldest)
        #expect(try replace().retired.pair.publicKey == key)
    }

    @Test(.needsRoot) func `A shared key is shared after a rotation too, and so is the old one`() throws {
        let folder = try KeyFolder(for: .group(OtherUser.group))
        try folder.create()
        let replacement = try folder.file().replace(holder: "n", now: Self.later)
        #expect(replacement.sharing == .group(OtherUser.group))
        for name in [KeyFolder.name, replacement.retired.name] {
            #expect(try KeyFolder.mode("\(folder.path)/\(name)") == 0o640)
            #expect(try KeyFolder.group("\(folder.path)/\(name)") == OtherUser.group)
        }
    }
}
