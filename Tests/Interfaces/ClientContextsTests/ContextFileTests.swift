import CaptureTestSupport
import ClientContexts
import Foundation
import Glibc
import KeyFiles
import PosixSupport
import RigConfiguration
import Testing
import ZeroMQ

@Suite struct ContextFileTests {
    private let temporary: TemporaryFolder
    private let disk = FaultyDisk()

    init() throws { temporary = try TemporaryFolder() }

    private var folder: String { "\(temporary.path)/config/caprig" }
    private var file: ContextFile { ContextFile(in: folder, fault: disk.fault) }

    private func mode(_ path: String) throws -> UInt32 {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return try #require(attributes[.posixPermissions] as? NSNumber).uint32Value
    }

    private func write(_ bytes: [UInt8]) throws {
        try temporary.write(bytes, as: "config/caprig/contexts.json")
        try #require(unsafe chmod(file.path, 0o600) == 0)
    }

    private func add(_ names: String...) throws {
        for name in names {
            let context = try Sample.context(name)
            try file.update { list throws(ContextError) in try list.add(context) }
        }
    }

    @Test func `Without a file there are no contexts, and reading creates nothing`() throws {
        #expect(try file.load() == ContextList())
        #expect(!FileManager.default.fileExists(atPath: "\(temporary.path)/config"))
    }

    @Test func `Contexts are the same after they were stored, in a file and folders for their owner only`() throws {
        try add("studio", "barn")
        let name = try ContextName("barn")
        try file.update { list throws(ContextError) in try list.use(name) }
        #expect(try file.load() == Sample.list("studio", "barn", current: "barn"))
        #expect(try mode(file.path) == 0o600 && mode(folder) == 0o700 && mode("\(temporary.path)/config") == 0o700)
        try file.update { list throws(ContextError) in try list.remove(name) }
        #expect(try file.load().current == nil)
    }

    @Test func `The file has the form in the documentation`() throws {
        try add("studio")
        #expect(
            String(decoding: try temporary.read("config/caprig/contexts.json"), as: UTF8.self) == """
                {
                  "contexts" : [
                    {
                      "coordinator" : "tcp://192.168.10.1:7713",
                      "coordinatorKey" : "\(Sample.key)",
                      "keyFile" : "/srv/anna/.config/caprig/keys/studio.key_secret",
                      "name" : "studio"
                    }
                  ],
                  "current" : "studio",
                  "schemaVersion" : 1
                }

                """)
    }

    @Test func `A coordinator's new key replaces the one that it followed, and no other`() throws {
        try add("studio", "barn")
        let (studio, barn) = (try ContextName("studio"), try ContextName("barn"))
        let old = try Sample.context("studio").coordinatorKey
        let new = try CurveKeyPair.generate().publicKey
        try file.replaceCoordinatorKey(of: studio, old, with: new)
        #expect(try file.load()[studio]?.coordinatorKey == new && file.load()[barn]?.coordinatorKey == old)
        try file.replaceCoordinatorKey(of: studio, old, with: try CurveKeyPair.generate().publicKey)
        try file.replaceCoordinatorKey(of: ContextName("gone"), old, with: new)
        #expect(try file.load()[studio]?.coordinatorKey == new && file.load().contexts.count == 2)
    }

    @Test func `The longest list can be read again`() throws {
        let key = try Sample.context("a").coordinatorKey
        try file.update { list throws(ContextError) in
            for index in 0..<ContextList.limit {
                let name = try ContextName(String(repeating: "n", count: 59) + String(1000 + index))
                try list.add(
                    try ClientContext(
                        name: name, coordinator: .init(host: String(repeating: "h", count: 253), port: 65_535),
                        coordinatorKey: key, keyFile: "/" + String(repeating: "\u{1}", count: 1000)))
            }
        }
        #expect(try file.load().contexts.count == ContextList.limit)
    }

    @Test func `A file cut off at any length is refused and kept, and no change replaces it`() throws {
        try add("studio")
        let whole = try temporary.read("config/caprig/contexts.json")
        // Without its last line feed the document is whole.
        for length in 0..<whole.count - 1 {
            let half = Array(whole[..<length])
            try write(half)
            let error = #expect(throws: ContextError.self) { try file.load() }
            #expect(error?.code == .damaged && error?.subject == file.path, "\(length)")
            #expect(throws: ContextError.self) { try add("barn") }
            #expect(try temporary.read("config/caprig/contexts.json") == half)
        }
    }

    @Test(arguments: [
        ("[]", "wrong type"), ("{}", "'schemaVersion' is missing"),
        (#"{"schemaVersion":0,"contexts":[]}"#, "schemaVersion is 0"),
        (#"{"schemaVersion":1}"#, "'contexts' is missing"),
        (#"{"schemaVersion":1,"contexts":[{}]}"#, "'name' is missing at contexts.[0]"),
        (#"{"schemaVersion":1,"contexts":[],"curent":"a"}"#, "'curent' is an unknown member"),
        (#"{"schemaVersion":1,"contexts":[],"current":"a"}"#, "no context of this name"),
        (#"{"schemaVersion":1,"contexts":[],"current":"../a"}"#, "not the name of a context"),
        (Self.document(name: "a/b"), "not the name of a context"),
        (Self.document(coordinator: "tcp://x"), "names no port"),
        (Self.document(coordinatorKey: "abc"), "coordinatorKey of 'studio'"),
        (Self.document(keyFile: "k"), "not an absolute path"),
        (Self.document(extra: #","token":"x""#), "'token' is an unknown member"),
        (Self.document(times: 2), "there is one of this name"),
    ])
    func `A file with a mistake is refused with what is wrong, and kept`(text: String, reason: String) throws {
        try add("studio")
        try write(Array(text.utf8))
        let error = #expect(throws: ContextError.self) { try file.load() }
        #expect(error?.code == .damaged && error?.reason.contains(reason) == true, "\(error?.description ?? "")")
        #expect(throws: ContextError.self) { try add("barn") }
        #expect(try temporary.read("config/caprig/contexts.json") == Array(text.utf8))
    }

    private static func document(
        name: String = "studio", coordinator: String = "tcp://h:1", coordinatorKey: String = Sample.key,
        keyFile: String = "/k", extra: String = "", times: Int = 1
    ) -> String {
        let context =
            #"{"name":"\#(name)","coordinator":"\#(coordinator)","coordinatorKey":"\#(coordinatorKey)","keyFile":"\#(keyFile)"\#(extra)}"#
        let contexts = Array(repeating: context, count: times).joined(separator: ",")
        return #"{"schemaVersion":1,"current":null,"contexts":[\#(contexts)]}"#
    }

    @Test func `A document without mistakes is accepted`() throws {
        try add("x")
        try write(Array(Self.document().utf8))
        #expect(try file.load().contexts.map(\.name.description) == ["studio"])
    }

    @Test func `A file of a later version is not called damaged, and kept`() throws {
        try add("studio")
        let text = Array(#"{"schemaVersion":2,"rigs":[]}"#.utf8)
        try write(text)
        let error = #expect(throws: ContextError.self) { try file.load() }
        #expect(error?.code == .laterVersion && error?.remedy.contains("install") == true)
        #expect(throws: ContextError.self) { try add("barn") }
        #expect(try temporary.read("config/caprig/contexts.json") == text)
    }

    @Test func `A file that others can change is refused, and the command in the message mends it`() throws {
        try add("studio")
        try #require(unsafe chmod(file.path, 0o664) == 0)
        let error = #expect(throws: ContextError.self) { try file.load() }
        #expect(error?.code == .inaccessible && error?.cause?.code == .looseMode)
        #expect(error?.description.hasSuffix("chmod 0600 \(file.path)") == true)
        let command = try #require(error?.cause?.command)
        #expect(try ExternalTool.run("sh", "-c", command).status == 0)
        #expect(try file.load().contexts.count == 1)
    }

    @Test func `A crash before any step of a change leaves the old or the new contexts`() throws {
        try add("studio")
        disk.fail(nil)
        try add("barn")
        let count = disk.steps.count
        var found: Set<[String]> = []
        for step in 0..<count {
            let other = try ContextFileTests()
            try other.add("studio")
            other.disk.fail(.crash(at: step))
            #expect(throws: ContextError.self, "\(step)") { try other.add("barn") }
            other.disk.fail(nil)
            found.insert(try other.file.load().contexts.map(\.name.description))
            try other.add("lab")
            #expect(try other.temporary.names("config/caprig") == [".contexts.json.lock", "contexts.json"])
        }
        #expect(found == [["studio"], ["studio", "barn"]])
    }

    @Test func `A change at the same time as another is refused, so that neither is lost`() throws {
        try add("studio")
        let lock = try FolderLock(Folder(opening: folder), name: ".contexts.json.lock")
        let error = #expect(throws: ContextError.self) { try add("barn") }
        #expect(error?.cause?.code == .inUse && error?.remedy == "repeat the command")
        withExtendedLifetime(lock) {}
        #expect(try file.load() == Sample.list("studio"))
    }

    @Test func `A change that is refused, or that changes nothing, writes nothing`() throws {
        try add("studio")
        disk.fail(nil)
        #expect(throws: ContextError.self) { try add("studio") }
        try file.update { _ throws(ContextError) in }
        #expect(!disk.steps.contains(.write))
    }

    @Test(
        arguments: [
            (["XDG_CONFIG_HOME": "/x", "HOME": "/h"], "/x/caprig/contexts.json"),
            (["HOME": "/h"], "/h/.config/caprig/contexts.json"),
            (["XDG_CONFIG_HOME": "", "HOME": "/h"], "/h/.config/caprig/contexts.json"),
            (["XDG_CONFIG_HOME": "rel", "HOME": "/h"], "/h/.config/caprig/contexts.json"),
            (["XDG_CONFIG_HOME": "/x"], "/x/caprig/contexts.json"), (["HOME": "h"], nil), ([:], nil),
        ] as [([String: String], String?)])
    func `The file is where the XDG specification says`(environment: [String: String], path: String?) throws {
        guard let path else {
            let error = #expect(throws: ContextError.self) { try ContextFile(environment: environment) }
            #expect(error?.code == .noHome)
            return
        }
        #expect(try ContextFile(environment: environment).path == path)
    }

    @Test func `The person's own key of a context is a file beside the contexts`() throws {
        let key = try file.keyFile(of: ContextName("studio"))
        #expect(key.path == "\(folder)/keys/studio.key_secret" && key.audience == .owner)
    }
}
