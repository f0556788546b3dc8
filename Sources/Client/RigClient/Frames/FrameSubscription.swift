public import CaptureModel
public import RigWire
internal import ZeroMQ

/// The live frames of one camera and kind, newest first: whoever asks late gets the frame of that moment, not an old one.
///
/// It has a socket of its own, because ZeroMQ keeps the newest message of a socket, not of a topic. Frames come straight
/// from the camera's node; the coordinator is asked only where that is. The node makes frames as long as this exists and
/// is not closed. One task uses it.
public actor FrameSubscription {
    public nonisolated let topic: FrameTopic

    private let client: RigClient
    private let socket: SubscriberSocket
    private let time: any TimeSource
    /// What the socket is connected to.
    private var endpoint: String?
    /// Messages that were no frame of this topic; they are dropped.
    public private(set) var malformed: UInt64 = 0

    /// Nothing came for so long: the node may have another port since, so the coordinator is asked again.
    private static let silence = Duration.seconds(1)
    /// Nothing came for so long, though a stream without frames beats every second: the connection is made anew.
    private static let patience = Duration.seconds(3)
    /// How long it has waited in vain since something came or the connection was made.
    private var waited = Duration.zero

    /// Takes messages off the socket as they come: in the socket, a beat takes the place of a frame that was not read yet.
    private var reader: Task<Void, Never>?
    /// The newest message not seen yet that is no beat.
    private var newest: ReceivedMessage?
    /// Messages that have come, beats among them.
    private(set) var received: UInt64 = 0
    /// Wakes who waits for a message.
    private var arrival: Alarm?

    init(client: RigClient, topic: FrameTopic, socket: SubscriberSocket, time: any TimeSource) {
        self.client = client
        self.topic = topic
        self.socket = socket
        self.time = time
    }

    deinit { reader?.cancel() }

    /// The newest frame not seen yet; waits for one, and looks where the node is whenever none comes for a second.
    /// - Parameter limit: How long it waits at most, beside the client's patience with the coordinator.
    /// - Returns: nil when none has come within the limit, and when the calling task is cancelled.
    /// - Throws: ``RigClientError`` where the node has never been found: the coordinator does not answer or knows no such
    ///   node, or the node is away or publishes no frames.
    public func next(within limit: Duration) async throws(RigClientError) -> ReceivedFrame? {
        let deadline = time.now() + limit
        while !Task.isCancelled {
            if endpoint == nil { try await connect() }
            if let frame = takeNewest() { return frame }
            let (now, before) = (time.now(), received)
            guard now < deadline else { return nil }
            await awaitMessage(until: min(deadline, now + Self.silence))
            guard received == before else { continue }
            waited += time.now() - now
            try await reconnectIfSilent()
            if time.now() < deadline { try await connect() }
        }
        return nil
    }

    private func takeNewest() -> ReceivedFrame? {
        guard let message = newest else { return nil }
        newest = nil
        if let frame = try? ReceivedFrame(message), frame.header.topic == topic { return frame }
        malformed &+= 1
        return nil
    }

    /// Where the frames come from, and whether there is a connection to it; nil before the coordinator has told where that is.
    public var source: (endpoint: String, isConnected: Bool)? {
        get async {
            guard let endpoint else { return nil }
            return (endpoint, await socket.isConnected)
        }
    }

    /// Ends the subscription; the node makes these frames no longer for it.
    public func close() async {
        reader?.cancel()
        await socket.close()
    }

    /// Asks the coordinator where the node's frames are, and connects there. A node that is away after it was found
    /// before is waited for.
    private func connect() async throws(RigClientError) {
        let found: String
        do {
            found = try await client.framesEndpoint(of: topic.device)
        } catch {
            guard endpoint == nil else { return }
            throw error
        }
        guard found != endpoint else { return }
        do {
            if let endpoint { try await socket.disconnect(from: endpoint) }
            endpoint = nil
            try await socket.connect(to: found)
        } catch {
            throw .closed(operation: "frames", endpoint: found, reason: "\(error)")
        }
        endpoint = found
        waited = .zero
        if reader == nil { read() }
    }

    /// Unstructured, because it lives as long as the subscription, which it does not keep alive.
    private func read() {
        reader = Task { [socket, weak self] in
            while let message = await socket.receive() { await self?.keep(message) }
        }
    }

    private func keep(_ message: ReceivedMessage) {
        received &+= 1
        waited = .zero
        if !message.isBeat { newest = message }
        arrival?.ring()
    }

    private func reconnectIfSilent() async throws(RigClientError) {
        guard waited >= Self.patience else { return }
        waited = .zero
        do {
            try await socket.reconnect()
        } catch {
            throw .closed(operation: "frames", endpoint: endpoint ?? "", reason: "\(error)")
        }
    }

    /// Returns when a message has come, or at an instant. Each wait has an alarm of its own, since one whose task was cancelled
    /// rings for ever.
    private func awaitMessage(until instant: LocalTime) async {
        let alarm = Alarm(clock: time)
        arrival = alarm
        await alarm.wait(until: instant)
        arrival = nil
    }
}

extension RigClient {
    /// Subscribes to the frames of a camera. The connection is made when the first frame is asked for.
    /// - Throws: ``RigClientError`` where the system has no socket to give.
    public func frames(of device: DeviceID, kind: FrameKind) async throws(RigClientError) -> FrameSubscription {
        let topic = FrameTopic(device: device, kind: kind)
        var options = SocketOptions()
        options.conflate = true
        options.reconnectIntervalMax = .milliseconds(400)
        options.maximumMessageSize = FrameEnvelope.maximumByteCount
        // So that a viewer that stands still is soon noticed by the node, and frames do not grow old on the way.
        options.receiveBufferByteCount = 256 * 1024
        do {
            let socket = try SubscriberSocket(context: context, executor: executor, options: options)
            try await socket.subscribe(topic.bytes)
            return FrameSubscription(client: self, topic: topic, socket: socket, time: time)
        } catch {
            throw .closed(operation: "frames", endpoint: "", reason: "\(error)")
        }
    }

    /// Where the frames of a camera are published, as `tcp://HOST:PORT`.
    func framesEndpoint(of device: DeviceID) async throws(RigClientError) -> String {
        func refused(_ code: CaptureProblem.Code, _ cause: String) -> RigClientError {
            RigClientError(.refused(code.rawValue), operation: "frames", endpoint: endpoint, cause: cause)
        }
        guard let node = try await status().nodes.first(where: { $0.node == device.node }) else {
            throw refused(
                .unknownDevice, "the rig has no node '\(device.node)'; `capctl devices` lists what it has")
        }
        guard node.isConnected else {
            throw refused(.nodeUnreachable, "node '\(device.node)' is away; its frames come again when it is back")
        }
        guard let frames = node.frames else {
            throw refused(
                .notRunning, "node '\(device.node)' publishes no frames; set frames.enabled in its configuration")
        }
        return frames.endpoint
    }
}
