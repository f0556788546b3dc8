import CaptureModel
import CaptureTestSupport
import RigProtocol
import RigWire
import SystemClock
import Testing
import ZeroMQ

@testable import RigClient

@Suite(.timeLimit(.minutes(10))) struct FrameSubscriptionTests {
    private let bench: Bench
    /// By the system's clock: what a subscription waits for are messages.
    private let client: RigClient
    private let device: DeviceID

    init() throws {
        bench = try Bench()
        client = try RigClient(context: bench.context, executor: bench.executor, time: SystemTimeSource())
        device = try DeviceID("north/cam")
    }

    /// A node's frames channel that publishes when the test says so.
    private struct Node {
        let publisher: PublisherSocket
        let port: UInt16

        init(_ bench: Bench) async throws {
            publisher = try PublisherSocket(context: bench.context, executor: bench.executor)
            let endpoint = try await publisher.bind(to: "tcp://127.0.0.1:*")
            port = endpoint.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        }

        func awaitViewer() async {
            for await change in publisher.subscriptions where change.isSubscribed { return }
        }

        func publish(_ number: UInt64, of device: DeviceID, kind: FrameKind = .full) async throws {
            var generator = SeededGenerator(seed: 5)
            let time = LocalTime(nanoseconds: Int64(number))
            let header = FrameHeader(
                topic: FrameTopic(device: device, kind: kind), epoch: .random(using: &generator), number: number,
                sequence: number, midExposure: time, stampBound: .zero, exposure: nil, dequeued: time,
                published: time, rig: nil, width: 4, height: 2, orientation: .degrees0, drops: OutputDrops())
            _ = await publisher.publish(
                Message([MessagePart(joining: [try FrameEnvelope.prefix(header), [0xFF, 0xD8]])]))
        }

        func status(isConnected: Bool = true) -> WireNodeStatus { Self.status(port: port, isConnected: isConnected) }

        static func status(port: UInt16, isConnected: Bool = true) -> WireNodeStatus {
            var status = WireNodeStatus()
            (status.node, status.connected) = ("north", isConnected)
            status.frames = FramesStatus(host: "127.0.0.1", port: port).wire
            return status
        }
    }

    private func connected(_ nodes: [WireNodeStatus]) async throws -> FakeCoordinator {
        let coordinator = try await bench.coordinator { _ in [] }
        coordinator.nodes.change { $0 = nodes }
        try await client.connect(to: coordinator.endpoint)
        return coordinator
    }

    /// Lets others run; a wait that never ends is ended by the suite's time limit.
    private func yield() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    @Test("Delivers the newest frame of the requested camera")
    func newest() async throws {
        let node = try await Node(bench)
        let coordinator = try await connected([node.status()])
        let frames = await client.frames(of: device, kind: .full)
        async let first = frames.next(within: .seconds(300))
        await node.awaitViewer()
        try await node.publish(1, of: device, kind: .half)
        try await node.publish(2, of: device)
        let frame = try #require(try await first)
        #expect(frame.header.number == 2 && frame.payload == [0xFF, 0xD8])
        #expect(await frames.malformed == 0)
        await frames.close()
        await coordinator.stop()
    }

    @Test("Delivers the last frame to a busy viewer when its camera stops")
    func beatAfterFrame() async throws {
        let node = try await Node(bench)
        let coordinator = try await connected([node.status()])
        let frames = await client.frames(of: device, kind: .full)
        async let first = frames.next(within: .seconds(300))
        await node.awaitViewer()
        try await node.publish(1, of: device)
        #expect(try await first?.header.number == 1)
        try await node.publish(2, of: device)
        while await frames.received < 2 { try await yield() }
        _ = await node.publisher.publish(Message(FrameEnvelope.beat(of: frames.topic.bytes)))
        while await frames.received < 3 { try await yield() }
        #expect(try await frames.next(within: .zero)?.header.number == 2)
        #expect(try await frames.next(within: .zero) == nil)
        await frames.close()
        await coordinator.stop()
    }

    @Test("Follows a node that restarts on another port")
    func moved() async throws {
        let old = try await Node(bench)
        let coordinator = try await connected([old.status()])
        let frames = await client.frames(of: device, kind: .full)
        async let frame = frames.next(within: .seconds(300))
        await old.awaitViewer()
        let new = try await Node(bench)
        coordinator.nodes.change { $0 = [old.status(isConnected: false)] }
        await old.publisher.close()
        var requests = coordinator.requests.makeAsyncIterator()
        // One request when it connected, and one whenever nothing has come for a second.
        for _ in 0..<2 { _ = await requests.next() }
        coordinator.nodes.change { $0 = [new.status()] }
        await new.awaitViewer()
        try await new.publish(1, of: device)
        #expect(try await frame?.header.number == 1)
        await frames.close()
        await coordinator.stop()
    }

    /// Lets a second without a message pass for a viewer by the test's clock.
    private func passSecond() async {
        let end = bench.time.now() + .seconds(1)
        await bench.time.sleeper(until: end)
        bench.time.advance(to: end)
    }

    @Test("Replaces a silent connection, and keeps one that only has no frames")
    func silentConnection() async throws {
        let node = try await Node(bench)
        let coordinator = try await connected([node.status()])
        try await bench.client.connect(to: coordinator.endpoint)
        let frames = await bench.client.frames(of: device, kind: .full)
        async let frame = frames.next(within: .seconds(300))
        var connections = node.publisher.connectionEvents.makeAsyncIterator()
        while await connections.next()?.kind != .handshakeSucceeded {}
        await node.awaitViewer()
        for _ in 0..<2 { await passSecond() }
        // Within the third one, so that its end is not that of the first one after the beat.
        await bench.time.sleeper(until: bench.time.now() + .seconds(1))
        bench.time.advance(by: .milliseconds(500))
        let beat = FrameEnvelope.beat(of: FrameTopic(device: device, kind: .full).bytes)
        _ = await node.publisher.publish(Message(beat))
        while await frames.received < 1 { try await yield() }
        for _ in 0..<2 { await passSecond() }
        await bench.time.sleeper(until: bench.time.now() + .seconds(1))
        #expect(
            await node.publisher.counters.connects == 1, "four seconds without a frame, but only two without a message")
        await passSecond()
        while await connections.next()?.kind != .handshakeSucceeded {}
        // Again and again, since the subscription may come after the connection.
        let publishing = Task {
            while !Task.isCancelled {
                try await node.publish(1, of: device)
                await Task.yield()
            }
        }
        #expect(try await frame?.header.number == 1)
        publishing.cancel()
        _ = await publishing.result
        #expect(await frames.malformed == 0)
        await frames.close()
        await coordinator.stop()
    }

    @Test("Ignores the end of a connection that has been replaced")
    func endedAfterSilence() async throws {
        let node = try await Node(bench)
        let coordinator = try await connected([node.status()])
        let frames = await client.frames(of: device, kind: .full)
        let watching = Task { try await frames.next(within: .seconds(300)) }
        var connections = node.publisher.connectionEvents.makeAsyncIterator()
        // The second one is made after three seconds without a message.
        for _ in 0..<2 { while await connections.next()?.kind != .handshakeSucceeded {} }
        while await frames.source?.isConnected != true { try await yield() }
        await node.publisher.close()
        while await frames.source?.isConnected != false { try await yield() }
        watching.cancel()
        _ = await watching.result
        await frames.close()
        await coordinator.stop()
    }

    @Test("Tells a viewer that a node is unknown, away or publishes nothing")
    func refused() async throws {
        let node = try await Node(bench)
        var silent = node.status()
        silent.clearFrames()
        let cases: [([WireNodeStatus], RigProblem.Code)] = [
            ([], .unknownDevice), ([node.status(isConnected: false)], .nodeUnreachable), ([silent], .notRunning),
        ]
        let coordinator = try await connected([])
        for (nodes, code) in cases {
            coordinator.nodes.change { $0 = nodes }
            let frames = await client.frames(of: device, kind: .preview)
            #expect(await failure { _ = try await frames.next(within: .seconds(1)) } == .refused(code.rawValue))
            await frames.close()
        }
        await coordinator.stop()
    }

    @Test("Ends a viewer's wait in time when the camera has no frames")
    func silence() async throws {
        let node = try await Node(bench)
        let coordinator = try await connected([node.status()])
        try await bench.client.connect(to: coordinator.endpoint)
        let frames = await bench.client.frames(of: device, kind: .full)
        let end = bench.time.now() + .milliseconds(500)
        async let nothing = frames.next(within: .milliseconds(500))
        await node.awaitViewer()
        await bench.time.sleeper(until: end)
        bench.time.advance(to: end)
        #expect(try await nothing == nil)
        await frames.close()
        await coordinator.stop()
    }

    @Test("Tells a viewer without frames the node's address, and whether it is connected")
    func source() async throws {
        let node = try await Node(bench)
        let coordinator = try await connected([node.status()])
        let frames = await client.frames(of: device, kind: .full)
        #expect(await frames.source == nil)
        async let frame = frames.next(within: .seconds(300))
        await node.awaitViewer()
        try await node.publish(1, of: device)
        #expect(try await frame != nil)
        var source = try #require(await frames.source)
        #expect(source.endpoint == "tcp://127.0.0.1:\(node.port)" && source.isConnected)

        await node.publisher.close()
        while try #require(await frames.source).isConnected { try await yield() }
        source = try #require(await frames.source)
        #expect(source.endpoint == "tcp://127.0.0.1:\(node.port)")
        await frames.close()
        await coordinator.stop()
    }

    @Test("Tells a viewer on another machine at once that a node publishes on its own machine only")
    func otherMachine() async throws {
        // On this machine, nothing answers at the node's loopback address. The clock of this client stands still.
        let closed = try LoopbackPort()
        let coordinator = try await connected([Node.status(port: closed.number)])
        try await bench.client.connect(to: coordinator.endpoint)
        let frames = await bench.client.frames(of: device, kind: .full)
        do {
            _ = try await frames.next(within: .seconds(300))
            Issue.record("it waits for a frame")
        } catch {
            #expect(error.code == .refused(RigProblem.Code.nodeUnreachable.rawValue))
            #expect(error.description.contains("on its own machine only, at tcp://127.0.0.1:\(closed.number)"))
        }
        await frames.close()
        await coordinator.stop()
    }
}
