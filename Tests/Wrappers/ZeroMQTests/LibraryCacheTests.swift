import CZeroMQ
import Foundation
import Testing

@testable import ZeroMQ

/// `tools/libzmq --where` names what is linked into every program, so it must not name what somebody else can write.
@Suite struct LibraryCacheTests {
    private static let tools = URL(filePath: #filePath).appending(path: "../../../../tools").standardized
    private let cache = URL.temporaryDirectory.appending(path: UUID().uuidString)

    private struct Outcome {
        var output: String
        var errors: String
    }

    /// Runs a shell command in `tools` with no more of an environment than is said.
    private func run(_ command: String, _ environment: [String: String]) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = Self.tools
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let texts = [output, errors].map {
            String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(texts)")
        return Outcome(output: texts[0], errors: texts[1])
    }

    private func setMode(_ mode: Int, of url: URL) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    /// The folder that the tool would build, with an archive of its own in it.
    private func fill() throws -> URL {
        let key = try run("{ cat libzmq libzmq.patches/*.patch; uname -m; } | sha256sum | cut -c 1-16", [:]).output
        let version = try run("sed -n 's/^version=//p' libzmq", [:]).output
        let name = "\(version)-\(key)".filter { !$0.isWhitespace }
        let folder = cache.appending(path: "caprig/libzmq/\(name)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        _ = try run(
            "umask 022; cd '\(folder.path)'; echo archive >libzmq.a; sha256sum libzmq.a >libzmq.a.sha256", [:])
        return folder
    }

    private func place() throws -> String {
        try run("./libzmq --where", ["XDG_CACHE_HOME": cache.path]).output.trimmingCharacters(in: .newlines)
    }

    @Test("Names a build only where it is whole and its archive matches")
    func damaged() throws {
        let folder = try fill()
        defer { try? FileManager.default.removeItem(at: cache) }
        #expect(try place() == folder.path)
        try Data("another".utf8).write(to: folder.appending(path: "libzmq.a"))
        #expect(try place() == "")
    }

    @Test("Ignores a cache that others can write to")
    func writableByOthers() throws {
        let folder = try fill()
        defer { try? FileManager.default.removeItem(at: cache) }
        let above = folder.deletingLastPathComponent()
        for url in [folder.appending(path: "libzmq.a"), folder, above, above.deletingLastPathComponent()] {
            let mode = url.pathExtension == "a" ? 0o644 : 0o755
            for writable in [0o020, 0o002] {
                try setMode(mode | writable, of: url)
                #expect(try place() == "", "\(url.path)")
                let refused = try run("./libzmq", ["XDG_CACHE_HOME": cache.path])
                #expect(refused.errors.contains("others can write to \(url.path);"), "\(refused.errors)")
            }
            try setMode(mode, of: url)
        }
        #expect(try place() == folder.path)
    }

    @Test("Makes no cache in a folder that all can write to")
    func noHome() throws {
        #expect(try run("./libzmq --where", [:]).output == "")
        let refused = try run("./libzmq", [:])
        #expect(refused.errors.contains("neither HOME nor XDG_CACHE_HOME"), "\(refused.errors)")
    }
}

@Suite(.timeLimit(.minutes(10)))
struct JoinedPartTests {
    @Test("Joins the arrays of a part whole and in order", arguments: [0, 1, 100, 500_000])
    func arrivesWhole(count: Int) async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            let pieces = [Array("topic\0".utf8), [], (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }, [9, 8, 7]]
            let part = MessagePart(joining: pieces)
            #expect(part.count == count + 9)
            #expect(part.bytes == pieces.flatMap(\.self))
            #expect(await dealer.send(Message([part, MessagePart([1])])) == .sent)
            let received = try #require(await router.receive()?.message)
            #expect(received.parts.map(\.bytes) == [pieces.flatMap(\.self), [1]])
        }
    }

    @Test("Gives the program the same bytes of a joined part as its peer")
    func readInPlace() {
        let part = MessagePart(joining: [[1, 2], [3]])
        #expect(part.withSpan { span in span.indices.map { span[$0] } } == [1, 2, 3])
        #expect(part.withBytes { $0.byteCount } == 3)
        #expect(MessagePart(joining: []).bytes.isEmpty)
    }
}

@Suite struct LibraryTests {
    @Test("Reports libzmq as hardened exactly with the patched library")
    func linked() throws {
        // Where the function of libzmq that this program calls lies.
        let version:
            @convention(c) (UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?, UnsafeMutablePointer<CInt>?)
                -> Void = unsafe zmq_version
        let file = try #require(try mappedFile(at: unsafe unsafeBitCast(version, to: UInt.self)))
        #expect(ZeroMQLibrary.linked.isHardened == !file.contains("/libzmq.so"), "\(file)")
        #expect(ZeroMQLibrary.linked.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    }

    /// The file that is mapped at an address of this process (proc_pid_maps(5)).
    private func mappedFile(at address: UInt) throws -> String? {
        for line in try String(contentsOfFile: "/proc/self/maps", encoding: .utf8).split(separator: "\n") {
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2, (bounds[0]..<bounds[1]).contains(address) { return fields.last.map(String.init) }
        }
        return nil
    }

    @Test("Reports an unpatched library of any version as not hardened")
    func patches() {
        #expect(ZeroMQLibrary(version: "4.3.4", patches: ["x", "no-output-after-io-error"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: ["keep-libsodium-open"]).isHardened)
        #expect(!ZeroMQLibrary(version: "4.3.5", patches: []).isHardened)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct RequestTests {
    @Test(
        "A request reaches the router and its answer comes back", arguments: ["tcp://127.0.0.1:*", "inproc://requests"])
    func requestAndAnswer(endpoint: String) async throws {
        try await TestRig.run { rig in
            let (router, dealer) = (try rig.router(), try rig.dealer())
            let address = try await router.bind(to: endpoint)
            try await dealer.connect(to: address)

            _ = await dealer.send(Message(Array("a".utf8), [], Array("c".utf8)))
            let request = try #require(await router.receive())
            #expect(request.message.texts == ["a", "", "c"])
            #expect(await router.send(Message(text: "answer"), to: request.peer) == .sent)
            #expect(await dealer.receive()?.texts == ["answer"])
        }
    }

    @Test("Delivers ten thousand messages once each and in order through overflowing queues")
    func order() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.sendHighWaterMark = 10
            options.receiveHighWaterMark = 10
            options.sendQueueLimit = 10_000
            options.sendQueueByteLimit = 64 * 1024 * 1024
            let padding = [UInt8](repeating: 0, count: 2_000)
            let (dealer, router, peer) = try await rig.pair(dealer: options, router: options)

            for number in 0..<10_000 {
                try #require(await dealer.send(Message(Array("\(number)".utf8), padding)) != .refused(.queueFull))
            }
            for number in 0..<10_000 {
                let message = try #require(await router.receive()?.message)
                try #require(message.texts.first == "\(number)")
                try #require(await router.send(message.message, to: peer) != .refused(.queueFull))
            }
            for number in 0..<10_000 { try #require(await dealer.receive()?.texts.first == "\(number)") }
            #expect(await dealer.counters.queued > 1)
            #expect(await router.counters.queued > 1)
            #expect(await dealer.counters.waiting == 0)
            #expect(await router.counters.sent == 10_000)
        }
    }

    @Test("Delivers parts of every size unchanged", arguments: [0, 1, 33, 34, 8_191, 8_192, 65_535, 65_536, 3_000_000])
    func sizes(count: Int) async throws {
        try await TestRig.run { rig in
            let (dealer, router, peer) = try await rig.pair()
            var bytes = Array(0...UInt8(250))
            while bytes.count < count { bytes += bytes }
            bytes.removeLast(bytes.count - count)
            _ = await dealer.send(Message(bytes))
            let received = try #require(await router.receive()?.message)
            #expect(received.parts.map(\.bytes) == [bytes])
            // Forwarding shares the received memory.
            _ = await router.send(received.message, to: peer)
            #expect(await dealer.receive()?.parts.first?.bytes == bytes)
        }
    }

    @Test("Delivers a message without parts as one empty part")
    func noParts() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            _ = await dealer.send(Message([]))
            #expect(await router.receive()?.message.parts.map(\.count) == [0])
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct SizeLimitTests {
    private var small: SocketOptions {
        var options = SocketOptions()
        options.maximumMessageSize = 1_000
        options.reconnectInterval = .milliseconds(1)
        return options
    }

    @Test("Disconnects a peer that sends an oversized message, and hears it again after it reconnects")
    func oversizedFromPeer() async throws {
        try await TestRig.run { rig in
            var generous = small
            generous.maximumMessageSize = 2_000
            let (dealer, router, peer) = try await rig.pair(dealer: generous, router: small)
            _ = await dealer.send(Message([UInt8](repeating: 1, count: 1_001)))
            // What is sent before the connection is made again may go into the one that is being closed.
            try await eventually {
                let counters = await dealer.counters
                return counters.disconnects == 1 && counters.connects == 2
            }
            _ = await dealer.send(Message(text: "after"))
            let next = try #require(await router.receive())
            #expect(next.message.texts == ["after"])
            #expect(next.peer != peer)
        }
    }

    @Test("Refuses to send an oversized message")
    func oversizedFromHere() async throws {
        try await TestRig.run { rig in
            let (dealer, router, peer) = try await rig.pair(dealer: small, router: small)
            let large = Message([1], [UInt8](repeating: 1, count: 1_001))
            #expect(await dealer.send(large) == .refused(.tooLarge))
            #expect(await dealer.send { _ in large } == .refused(.tooLarge))
            #expect(await router.send(large, to: peer) == .refused(.tooLarge))
            #expect(await dealer.counters.refused == [.tooLarge: 2])
        }
    }

    @Test("Drops and counts a message with very many parts, and delivers the next one")
    func tooManyParts() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.maximumPartCount = 4
            let (dealer, router, _) = try await rig.pair(router: options)
            _ = await dealer.send(Message([MessagePart](repeating: MessagePart([1]), count: 1_000)))
            _ = await dealer.send(Message(text: "after"))
            #expect(await router.receive()?.message.texts == ["after"])
            #expect(await router.counters.droppedForPartCount == 1)
        }
    }
}
