import CaptureTestSupport
import Foundation
import Glibc
import KeyFiles
import PosixSupport
import Testing
import ZeroMQ

@Suite struct RefusalTests {
    @Test func `A missing key is reported with its path and where it comes from`() throws {
        let folder = try KeyFolder()
        #expect(try folder.loadError().code == .missing)
        try folder.create()
        try FileManager.default.removeItem(atPath: folder.keyPath)
        let error = try folder.loadError()
        #expect(error.code == .missing && error.subject == folder.keyPath && error.description.contains("join the rig"))
    }

    @Test(arguments: [0o601, 0o602, 0o604, 0o610, 0o620, 0o640, 0o644, 0o660, 0o666, 0o777, 0o444] as [mode_t])
    func `A key that others can use is refused, and the command in the message mends it`(mode: mode_t) throws {
        let folder = try KeyFolder()
        let key = try folder.create().pair.publicKey
        try KeyFolder.setMode(mode, folder.keyPath)
        let error = try folder.loadError()
        let text = "0" + String(mode, radix: 8)
        #expect(error.code == .looseMode && error.subject == folder.keyPath)
        #expect(error.reason.contains("mode \(text)") && error.reason.contains("0600"))
        #expect(try folder.mend(error).publicKey == key)
    }

    @Test(arguments: [0o400, 0o600, 0o500, 0o700] as [mode_t])
    func `A mode narrower than asked is accepted`(mode: mode_t) throws {
        let folder = try KeyFolder()
        let key = try folder.create().pair.publicKey
        try KeyFolder.setMode(mode & 0o600, folder.keyPath)
        try KeyFolder.setMode(mode | 0o500, folder.path)
        #expect(try folder.file().load().publicKey == key)
    }

    @Test(arguments: [0o710, 0o750, 0o701, 0o755, 0o777, 0o1777] as [mode_t])
    func `A key in a folder that others can use is refused, and the command in the message mends it`(mode: mode_t)
        throws
    {
        let folder = try KeyFolder()
        let key = try folder.create().pair.publicKey
        try KeyFolder.setMode(mode, folder.path)
        let error = try folder.loadError()
        #expect(error.code == .looseMode && error.subject == folder.path)
        let asDaemon = try #require(throws: KeyFileError.self) { try folder.create() }
        #expect(asDaemon.code == .looseMode && !asDaemon.description.contains("create"), "the key exists: \(asDaemon)")
        #expect(try folder.mend(error).publicKey == key)
    }

    @Test(.needsRoot) func `A key of another user is refused by name, and the command in the message mends it`() throws
    {
        let folder = try KeyFolder()
        let key = try folder.create().pair.publicKey
        try #require(unsafe chown(folder.keyPath, OtherUser.number, .max) == 0)
        let error = try folder.loadError()
        #expect(error.code == .foreignOwner && error.subject == folder.keyPath)
        #expect(error.reason.contains("owner is 'nobody'") && error.reason.contains("runs as 'root'"))
        #expect(try folder.mend(error).publicKey == key)
    }

    @Test(.needsRoot) func `A key in a folder of another user is refused, and the command in the message mends it`()
        throws
    {
        let folder = try KeyFolder()
        let key = try folder.create().pair.publicKey
        try #require(unsafe chown(folder.path, 4_000_000_000, .max) == 0)
        let error = try folder.loadError()
        #expect(error.code == .foreignOwner && error.subject == folder.path)
        #expect(error.reason.contains("'4000000000'"), "a user without a name")
        #expect(try folder.mend(error).publicKey == key)
    }

    @Test func `A symbolic link to a key is refused, and the command in the message mends it`() throws {
        let folder = try KeyFolder()
        let key = try folder.create().pair.publicKey
        let elsewhere = "\(folder.temporary.path)/else where's"
        try FileManager.default.moveItem(atPath: folder.keyPath, toPath: elsewhere)
        try #require(unsafe symlink(elsewhere, folder.keyPath) == 0)
        let error = try folder.loadError()
        #expect(error.code == .symbolicLink && error.subject == folder.keyPath)
        #expect(try folder.mend(error).publicKey == key)
        #expect(try KeyFolder.mode(folder.keyPath) == 0o600)
    }

    @Test func `A dangling symbolic link is refused, and no key is created behind it`() throws {
        let folder = try KeyFolder()
        try folder.create()
        try FileManager.default.removeItem(atPath: folder.keyPath)
        let target = "\(folder.temporary.path)/target"
        try #require(unsafe symlink(target, folder.keyPath) == 0)
        #expect(try folder.loadError().code == .symbolicLink)
        #expect(throws: KeyFileError.self) { try folder.create() }
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test func `A symbolic link to the folder is followed, and the folder behind it is checked`() throws {
        let folder = try KeyFolder()
        let key = try folder.create().pair.publicKey
        let link = "\(folder.temporary.path)/link"
        try #require(unsafe symlink(folder.path, link) == 0)
        let file = try KeyFile(KeyFolder.name, in: link, environment: [:])
        #expect(try file.load().publicKey == key)
        try KeyFolder.setMode(0o755, folder.path)
        #expect(throws: KeyFileError.self) { try file.load() }
    }

    @Test(arguments: ["folder", "pipe"])
    func `Something else in the place of a key is refused without waiting for it`(kind: String) throws {
        let folder = try KeyFolder()
        try folder.create()
        try FileManager.default.removeItem(atPath: folder.keyPath)
        try #require(unsafe (kind == "pipe" ? mkfifo(folder.keyPath, 0o600) : mkdir(folder.keyPath, 0o700)) == 0)
        let error = try folder.loadError()
        #expect(error.code == .notAFile && error.subject == folder.keyPath)
        #expect(throws: KeyFileError.self) { try folder.create() }
    }

    @Test func `A file that is too large is refused without reading it`() throws {
        let folder = try KeyFolder()
        try folder.create()
        try #require(unsafe truncate(folder.keyPath, 1 << 40) == 0)
        folder.disk.fail(nil)
        let error = try folder.loadError()
        #expect(error.code == .tooLarge && error.reason.contains("1099511627776 bytes"))
        #expect(!folder.disk.steps.contains(.read))
    }

    @Test func `A key file is refused at every length below its own, and stays as it is`() throws {
        let folder = try KeyFolder()
        try folder.create()
        let whole = try folder.temporary.read("keys/\(KeyFolder.name)")
        for length in whole.indices {
            let half = Array(whole[..<length])
            try folder.overwrite(half)
            let error = try folder.loadError()
            #expect(error.code == .incomplete, "\(length): \(error)")
            #expect(error.subject == folder.keyPath)
            #expect(throws: KeyFileError.self) { try folder.create() }
            #expect(try folder.temporary.read("keys/\(KeyFolder.name)") == half)
        }
        try folder.overwrite(whole)
        #expect(throws: Never.self) { try folder.file().load() }
    }

    @Test func `After the command in the message, a half-written key is kept aside and a new one is created`() throws {
        let folder = try KeyFolder()
        try folder.create()
        for length in [300, 200] {
            let half = Array(try folder.temporary.read("keys/\(KeyFolder.name)").prefix(length))
            try folder.overwrite(half)
            let command = try #require(try folder.loadError().command)
            #expect(try ExternalTool.run("sh", "-c", command).status == 0)
            #expect(try folder.create().isNew)
            #expect(try folder.temporary.read("keys/\(KeyFolder.name).damaged") == half)
        }
        #expect(
            try folder.temporary.read("keys/\(KeyFolder.name).damaged.~1~").count == 300, "the first one is kept too")
    }

    @Test func `A change of any byte of a key is refused, and no message contains the secret`() throws {
        let folder = try KeyFolder()
        let pair = try folder.create().pair
        let whole = try folder.temporary.read("keys/\(KeyFolder.name)")
        let text = String(decoding: whole, as: UTF8.self)
        for key in [pair.publicKey.description, pair.secretKey.z85] {
            let start = try #require(text.range(of: key)).lowerBound.utf16Offset(in: text)
            for index in start..<start + 40 {
                var changed = whole
                changed[index] = changed[index] == UInt8(ascii: "5") ? UInt8(ascii: "6") : UInt8(ascii: "5")
                try folder.overwrite(changed)
                do {
                    // Curve25519 ignores five bits of a secret key, so that a change of these is not a change of the key.
                    #expect(try folder.file().load().publicKey == pair.publicKey, "\(index)")
                } catch let error as KeyFileError {
                    #expect(error.code == .mismatched || error.code == .damaged, "\(index)")
                    #expect(!error.description.contains(pair.secretKey.z85.prefix(12)))
                }
            }
        }
    }

    @Test func `A public key that does not belong to the secret key is refused`() throws {
        let (folder, other) = (try KeyFolder(), try KeyFolder())
        let (own, foreign) = (try folder.create().pair.publicKey, try other.create().pair.publicKey)
        let text = String(decoding: try folder.temporary.read("keys/\(KeyFolder.name)"), as: UTF8.self)
        try folder.overwrite(Array(text.replacing(own.description, with: foreign.description).utf8))
        let error = try folder.loadError()
        #expect(error.code == .mismatched && error.reason.contains(own.description))
        #expect(error.reason.contains(foreign.description))
    }

    @Test func `A path with spaces and quotes is one word of the command`() throws {
        let folder = try KeyFolder()
        let inner = "\(folder.path)/it's a \"key\" $HOME"
        let file = try KeyFile("k;k", in: inner, environment: [:])
        let key = try file.loadOrCreate(holder: "n", now: KeyFolder.date).pair.publicKey
        try KeyFolder.setMode(0o666, "\(inner)/k;k")
        let error = #expect(throws: KeyFileError.self) { try file.load() }
        #expect(try ExternalTool.run("sh", "-c", try #require(error?.command)).status == 0)
        #expect(try file.load().publicKey == key)
    }

    @Test(arguments: ["", ".", "..", "a/b", String(repeating: "x", count: 300)])
    func `A name that is not one name in a folder is refused`(name: String) throws {
        let folder = try KeyFolder()
        try folder.create()
        let file = try KeyFile(name, in: folder.path, environment: [:])
        #expect(throws: KeyFileError.self) { try file.load() }
        #expect(throws: KeyFileError.self) { try file.loadOrCreate(holder: "n", now: KeyFolder.date) }
        #expect(try folder.names() == [KeyFolder.name])
    }
}
