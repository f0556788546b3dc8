import CaptureTestSupport
import Foundation
import Glibc
import KeyFiles
import PosixSupport
import Testing
import ZeroMQ

@Suite struct CrashTests {
    /// The steps of creating a key in a folder that is missing.
    private func stepsOfCreating() throws -> [FileStep] {
        let folder = try KeyFolder()
        folder.disk.fail(nil)
        try folder.create()
        return folder.disk.steps
    }

    @Test func `The file is durable before it has its name, and the name before the key is used`() throws {
        let steps = try stepsOfCreating()
        let order: [FileStep] = [.makeFolder, .syncFolder, .open, .write, .syncFile, .rename, .syncFolder]
        let last = order.dropFirst(2)
        let taken: [FileStep] = steps.filter { order.contains($0) }
        #expect(taken.suffix(last.count) == last, "\(steps)")
        #expect(steps.firstIndex(of: .makeFolder) != nil)
    }

    @Test func `A crash before any step leaves no key or a whole one, and the next start has a key and no leftovers`()
        throws
    {
        let steps = try stepsOfCreating()
        var (withKey, without) = (0, 0)
        for step in steps.indices {
            let folder = try KeyFolder()
            folder.disk.fail(.crash(at: step))
            #expect(throws: KeyFileError.self, "\(step)") { try folder.create() }
            folder.disk.fail(nil)
            if FileManager.default.fileExists(atPath: folder.keyPath) {
                let left = try folder.file().load()
                #expect(try folder.create().pair.publicKey == left.publicKey)
                withKey += 1
            } else {
                #expect(try folder.create().isNew)
                without += 1
            }
            #expect(try folder.names() == [KeyFolder.name], "\(step)")
        }
        #expect(withKey > 0 && without > 0)
    }

    @Test(arguments: [ENOSPC, EIO, EROFS, EDQUOT])
    func `A disk that fails at any step is named, and nothing half done is left`(code: CInt) throws {
        for step in try stepsOfCreating().indices {
            let folder = try KeyFolder()
            folder.disk.fail(.once(at: step, code: code))
            let error = #expect(throws: KeyFileError.self) { try folder.create() }
            #expect(error?.code == .inputOutput && error?.cause?.code == code)
            #expect(error?.description.contains(folder.path) == true)
            folder.disk.fail(nil)
            let names = (try? folder.names()) ?? []
            #expect(names == [] || names == [KeyFolder.name], "\(step)")
            let key = try folder.create().pair.publicKey
            #expect(try folder.file().load().publicKey == key)
        }
    }

    @Test func `A key whose creator ended before it was durable is made durable before it is used`() throws {
        let folder = try KeyFolder()
        try folder.create()
        let synced = Locked<[String]>([])
        let file = try KeyFile(KeyFolder.name, in: folder.path, environment: [:]) { step, path in
            if step == .syncFolder { synced.withLock { $0.append(path) } }
            return nil
        }
        _ = try file.loadOrCreate(holder: "node", now: KeyFolder.date)
        let parent = String(folder.path.dropLast("/keys".count))
        let folders: [String] = synced.withLock { $0 }
        #expect(folders == [parent, folder.path])
        folder.disk.fail(.every(.syncFolder, code: EIO))
        #expect(throws: KeyFileError.self) { try folder.create() }
    }

    @Test func `What a killed process has left is removed, with any content and mode, and other files stay`() throws {
        let folder = try KeyFolder()
        try folder.create()
        for name in [".\(KeyFolder.name).0011223344556677.new", ".\(KeyFolder.name).x.new"] {
            try folder.temporary.write([0, 1], as: "keys/\(name)")
            try KeyFolder.setMode(0, "\(folder.path)/\(name)")
        }
        try folder.temporary.write([], as: "keys/.other.key_secret.x.new")
        _ = unsafe symlink("/etc/passwd", "\(folder.path)/.\(KeyFolder.name).link.new")
        try folder.create()
        #expect(try folder.names() == [".other.key_secret.x.new", KeyFolder.name])
        #expect(FileManager.default.fileExists(atPath: "/etc/passwd"))
    }

    @Test func `A file that another process is writing is not removed as a leftover`() throws {
        let folder = try KeyFolder()
        try folder.create()
        let name = ".\(KeyFolder.name).0011223344556677.new"
        try folder.temporary.write([], as: "keys/\(name)")
        let writer = try Folder(opening: folder.path).open(name, for: .reading)
        #expect(try writer.tryLock())
        try folder.create()
        #expect(try folder.names() == [name, KeyFolder.name])
        withExtendedLifetime(writer) {}
    }

    @Test func `Where the file system cannot rename without replacing, a key is created by linking`() throws {
        let folder = try KeyFolder()
        folder.disk.fail(.every(.rename, code: EINVAL))
        let key = try folder.create()
        #expect(key.isNew && folder.disk.steps.contains(.rename))
        #expect(try folder.names() == [KeyFolder.name])
        #expect(try folder.create().pair.publicKey == key.pair.publicKey)
    }

    @Test(.enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired, "needs the right to mount"))
    func `A full disk is named, and the key is created once there is space`() throws {
        let disk = try SmallDisk()
        let file = try KeyFile("k", in: "\(disk.path)/keys", environment: [:])
        try FileManager.default.createDirectory(
            atPath: "\(disk.path)/keys", withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try disk.fill(leaving: 0)
        let error = #expect(throws: KeyFileError.self) { try file.loadOrCreate(holder: "n", now: KeyFolder.date) }
        #expect(error?.cause?.code == ENOSPC && error?.description.contains("free space") == true)
        #expect(try disk.folder.names("keys").isEmpty)
        try disk.free()
        #expect(try file.loadOrCreate(holder: "n", now: KeyFolder.date).isNew)
    }
}
