import CaptureTestSupport
import Foundation
import Glibc
import KeyFiles
import PosixSupport
import Testing
import ZeroMQ

@Suite struct CreationTests {
    @Test func `Creates a key that only its owner can read, and reads the same one afterwards`() throws {
        let folder = try KeyFolder()
        let created = try folder.create()
        #expect(created.isNew && created.sharing == .ownerOnly && created.sharing.notice == nil)
        #expect(try KeyFolder.mode(folder.keyPath) == 0o600)
        #expect(try KeyFolder.mode(folder.path) == 0o700)
        #expect(try folder.file().load().secretKey.z85 == created.pair.secretKey.z85)
        let again = try folder.create()
        #expect(!again.isNew && again.pair.publicKey == created.pair.publicKey)
        #expect(try folder.names() == [KeyFolder.name])
    }

    @Test func `The file says what it is, whose, and that nobody should copy it`() throws {
        let folder = try KeyFolder()
        let pair = try folder.create().pair
        let lines = String(decoding: try folder.temporary.read("keys/\(KeyFolder.name)"), as: UTF8.self)
        #expect(
            lines == """
                # Caprig key file, version 1
                # The secret key of node left-arm.
                # Whoever has this file can act in its holder's name. Do not copy it, send it, or put it under version control.
                metadata
                    caprig-key-version = 1
                    holder = "node left-arm"
                    created = "2026-11-25T18:02:03Z"
                curve
                    public-key = "\(pair.publicKey)"
                    secret-key = "\(pair.secretKey.z85)"

                """)
    }

    @Test func `A holder's name with quotes and line feeds stays one value of one line`() throws {
        let folder = try KeyFolder()
        let holder = "x\"\n    secret-key = \"y\u{2028}\u{85}\u{0}" + String(repeating: "ü", count: 20_000)
        let pair = try folder.file().loadOrCreate(holder: holder, now: KeyFolder.date).pair
        #expect(try folder.file().load().publicKey == pair.publicKey)
        let text = String(decoding: try folder.temporary.read("keys/\(KeyFolder.name)"), as: UTF8.self)
        #expect(text.contains("holder = \"x__    secret-key = _y___ü") && text.split(separator: "\n").count == 10)
    }

    @Test(arguments: [0, 0o027, 0o777])
    func `The mode of file and folder does not depend on the process's mask`(mask: mode_t) async throws {
        let folder = try KeyFolder()
        await #expect(processExitsWith: .success) { [path = folder.path as String, mask = mask as mode_t] in
            // A folder that is created under the last mask cannot be used.
            if mask == 0o777 { _ = unsafe mkdir(path, 0o700) }
            umask(mask)
            let file = try KeyFile(KeyFolder.name, in: path, environment: [:])
            _ = try file.loadOrCreate(holder: "node", now: KeyFolder.date)
        }
        #expect(try KeyFolder.mode(folder.keyPath) == 0o600)
        #expect(try KeyFolder.mode(folder.path) == 0o700)
    }

    @Test func `Missing folders above the key's are for its owner only`() throws {
        let folder = try KeyFolder()
        let file = try KeyFile("k", in: "\(folder.path)/a/b/", environment: [:])
        _ = try file.loadOrCreate(holder: "node", now: KeyFolder.date)
        #expect(file.path == "\(folder.path)/a/b/k")
        for above in ["", "/a", "/a/b"] { #expect(try KeyFolder.mode(folder.path + above) == 0o700) }
    }

    @Test func `A folder that others can use is refused with the command that mends it, and gets no key`() throws {
        let folder = try KeyFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
        try KeyFolder.setMode(0o755, folder.path)
        let error = #expect(throws: KeyFileError.self) { try folder.create() }
        #expect(error?.code == .looseMode && error?.subject == folder.path)
        #expect(error?.command == "chmod 0700 \(folder.path)")
        #expect(try folder.names().isEmpty)
        try folder.temporary.write([], as: "other")
        let command = try #require(error?.command)
        #expect(try ExternalTool.run("sh", "-c", command).status == 0)
        #expect(try folder.create().isNew)
    }

    @Test func `A file in the place of the folder is refused`() throws {
        let folder = try KeyFolder()
        try folder.temporary.write("x", to: "keys")
        let error = #expect(throws: KeyFileError.self) { try folder.create() }
        #expect(error?.code == .notAFile && error?.subject == folder.path)
    }

    @Test func `Threads that create a key at the same time get the same one`() throws {
        for _ in 0..<20 {
            let folder = try KeyFolder()
            let found = Locked<[CurvePublicKey]>([])
            let failures = Locked<[any Error]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do {
                    let key = try folder.create().pair.publicKey
                    found.withLock { $0.append(key) }
                } catch {
                    failures.withLock { $0.append(error) }
                }
            }
            #expect(failures.withLock { $0.map { "\($0)" } } == [])
            let keys = found.withLock { $0 }
            let stored = try folder.file().load().publicKey
            #expect(keys.count == 8 && Set(keys) == [stored])
            #expect(try folder.names() == [KeyFolder.name])
        }
    }

    @Test func `Processes that create a key at the same time get the same one`() async throws {
        let folder = try KeyFolder()
        let path = folder.temporary.path
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) { [path = path as String, index = index as Int] in
                        let file = try KeyFile(KeyFolder.name, in: "\(path)/keys", environment: [:])
                        let key = try file.loadOrCreate(holder: "\(index)", now: KeyFolder.date).pair.publicKey
                        try Data("\(key)".utf8).write(to: URL(filePath: "\(path)/found-\(index)"))
                    }
                }
            }
        }
        let found = try (0..<4).map { String(decoding: try folder.temporary.read("found-\($0)"), as: UTF8.self) }
        let stored = try folder.file().load().publicKey
        #expect(Set(found) == ["\(stored)"])
        #expect(try folder.names() == [KeyFolder.name])
    }
}
