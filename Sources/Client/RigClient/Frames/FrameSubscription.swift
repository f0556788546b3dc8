public import CaptureModel
internal import RigConfiguration
internal import RigSecurity
public import RigWire
internal import ZeroMQ

/// The live frames of one camera and kind, newest first: a late request gets the newest frame, not an old one.
///
/// It has a separate socket, because ZeroMQ keeps the newest message of a socket, not of a topic. Frames arrive
/// directly from the camera's node; the coordinator only supplies the node's endpoint. The node makes frames as long as
/// this exists and is not closed. One task uses it.
public actor FrameSubscription {
    public nonisolated let topic: FrameTopic

    private let client: RigClient
    private let options: SocketOptions
    private let time: any TimeSource
    /// The node's channel, with the socket that is connected to it; nil before the coordinator has reported it.
    private var connection: (source: FramesSource, socket: SubscriberSocket)?
    /// Number of messages that were not frames of this topic; they are dropped.
    public private(set) var malformed: UInt64 = 0

    /// After this silence the coordinator is asked again, since the node may have another port.
    private static let silence = Duration.seconds(1)
    /// After this silence the connection is made again, since even a stream without frames beats every second.
    private static let patience = Duration.seconds(3)
    /// The time waited since the last message or since the connection was made.
    private var waited = Duration.zero

    /// Reads messages from the newest socket as they arrive: in the socket, a beat would replace a frame that was not read
    /// yet.
    private var reader: Task<Void, Never>?
    /// Follows what happens to the connection.
    private var watcher: Task<Void, Never>?
    private var reach = FrameReach()
    /// The newest message that was not delivered yet and is not a beat.
    private var newest: ReceivedMessage?
    /// Number of messages that arrived, including beats.
    private(set) var received: UInt64 = 0
    /// Wakes the task that waits for a message.
    private var arrival: Alarm?

    init(client: RigClient, topic: FrameTopic, options: SocketOptions, time: any TimeSource) {
        self.client = client
        self.topic = topic
        self.options = options
        self.time = time
    }

    deinit {
        reader?.cancel()
        watcher?.cancel()
    }

    /// The newest frame that was not delivered yet. Waits for one, and asks for the node's endpoint again each second
    /// without a message.
    /// - Parameter limit: The maximum wait, in addition to the client's patience with the coordinator.
    /// - Returns: nil if no frame arrives within the limit, and if the calling task is cancelled.
    /// - Throws: ``RigClientError`` if the node has never been found: the coordinator does not answer or does not know
    ///   the node, or the node is away or publishes no frames, or only on its own machine. Also once the rig no longer
    ///   admits the client's key.
    public func next(within limit: Duration) async throws(RigClientError) -> ReceivedFrame? {
        let deadline = time.now() + limit
        while !Task.isCancelled {
            if connection == nil { try await connect() }
            if let frame = removeNewest() { return frame }
            if let obstacle = reach.obstacle { try await report(obstacle) }
            let (now, before) = (time.now(), received)
            guard now < deadline else { return nil }
            await awaitMessage(until: min(deadline, now + Self.silence))
            guard received == before, reach.obstacle == nil else { continue }
            waited += time.now() - now
            try await reconnectIfSilent()
            if time.now() < deadline { try await connect() }
        }
        return nil
    }

    private func removeNewest() -> ReceivedFrame? {
        guard let message = newest else { return nil }
        newest = nil
        if let frame = try? ReceivedFrame(message), frame.header.topic == topic { return frame }
        malformed &+= 1
        return nil
    }

    /// The endpoint of the frames, and whether it is connected; nil before the coordinator has reported it.
    public var source: (endpoint: String, isConnected: Bool)? {
        get async {
            guard let connection else { return nil }
            return (connection.source.endpoint, await connection.socket.isConnected)
        }
    }

    /// - Throws: Why no frame will come; returns if one may come all the same.
    private func report(_ obstacle: FrameReach.Obstacle) async throws(RigClientError) {
        switch obstacle {
        case .keyRefused:
            // A node may know a key later than the coordinator does.
            reach.retry()
            if let refusal = await client.keyRefusal(operation: "frames") { throw refusal }
        case .onOtherMachine:
            let source = try await client.framesSource(of: topic.device)
            guard source == connection?.source else { return try await connect() }
            throw RigClientError(
                .refused(RigProblem.Code.nodeUnreachable.rawValue), operation: "frames",
                endpoint: await client.endpoint,
                cause: "node '\(topic.device.node)' publishes its pictures on its own machine only, at "
                    + "\(source.endpoint), and nothing of it answers there on this machine; set `frames.listen.host` of "
                    + "the node to 0.0.0.0 or to its address in the network")
        }
    }

    /// Ends the subscription; the node stops making these frames for it.
    public func close() async {
        await disconnect()
    }

    private func disconnect() async {
        reader?.cancel()
        watcher?.cancel()
        let socket = connection?.socket
        (reader, watcher, connection) = (nil, nil, nil)
        await socket?.close()
    }

    /// Asks the coordinator for the endpoint of the node's frames, and connects there. If a node that was found before
    /// is away, waits for it.
    private func connect() async throws(RigClientError) {
        let found: FramesSource
        do {
            found = try await client.framesSource(of: topic.device)
        } catch {
            guard connection == nil else { return }
            throw error
        }
        guard found != connection?.source else { return }
        await disconnect()
        do {
            // Another node has another key, which a socket cannot change.
            let socket = try await client.subscriber(of: found, options)
            reach.connects(isOwnMachine: found.isLoopback)
            try await socket.subscribe(topic.bytes)
            try await socket.connect(to: found.endpoint)
            connection = (found, socket)
            read(socket)
            watch(socket)
        } catch {
            throw .closed(operation: "frames", endpoint: found.endpoint, reason: "\(error)")
        }
        waited = .zero
    }

    /// Unstructured, since it lives as long as the socket; it does not keep the subscription alive.
    private func read(_ socket: SubscriberSocket) {
        reader = Task { [weak self] in
            while let message = await socket.receive() { await self?.keep(message) }
        }
    }

    /// Unstructured for the same reason.
    private func watch(_ socket: SubscriberSocket) {
        watcher = Task { [weak self] in
            for await event in socket.connectionEvents { await self?.note(event, of: socket) }
        }
    }

    private func note(_ event: ConnectionEvent, of socket: SubscriberSocket) {
        guard connection?.socket === socket else { return }
        reach.note(event)
        if reach.obstacle != nil { arrival?.ring() }
    }

    private func keep(_ message: ReceivedMessage) {
        received &+= 1
        waited = .zero
        if !message.isBeat { newest = message }
        arrival?.ring()
    }

    private func reconnectIfSilent() async throws(RigClientError) {
        guard waited >= Self.patience, let connection else { return }
        waited = .zero
        do {
            try await connection.socket.reconnect()
        } catch {
            throw .closed(operation: "frames", endpoint: connection.source.endpoint, reason: "\(error)")
        }
    }

    /// Returns when a message has arrived, or at an instant. Each wait has a separate alarm, since the alarm of a
    /// cancelled task keeps ringing.
    private func awaitMessage(until instant: LocalTime) async {
        let alarm = Alarm(clock: time)
        arrival = alarm
        await alarm.wait(until: instant)
        arrival = nil
    }
}

extension RigClient {
    /// Subscribes to the frames of a camera. The connection is made when the first frame is requested.
    public func frames(of device: DeviceID, kind: FrameKind) -> FrameSubscription {
        let topic = FrameTopic(device: device, kind: kind)
        var options = SocketOptions()
        options.conflate = true
        options.reconnectIntervalMax = .milliseconds(400)
        options.maximumMessageSize = FrameEnvelope.maximumByteCount
        // So that the node soon notices a viewer that stands still, and frames do not age in transit.
        options.receiveBufferByteCount = 256 * 1024
        return FrameSubscription(client: self, topic: topic, options: options, time: time)
    }

    /// Creates a socket for a node's frames.
    func subscriber(of source: FramesSource, _ options: SocketOptions) throws(ZeroMQError) -> SubscriberSocket {
        var options = options
        if let keys, let key = source.key { options.security = .client(keys.pair, server: key) }
        return try SubscriberSocket(context: context, executor: executor, options: options)
    }

    /// Where the frames of a camera are published.
    func framesSource(of device: DeviceID) async throws(RigClientError) -> FramesSource {
        func refused(_ code: RigProblem.Code, _ cause: String) -> RigClientError {
            RigClientError(.refused(code.rawValue), operation: "frames", endpoint: endpoint, cause: cause)
        }
        guard let node = try await status(for: "frames").nodes.first(where: { $0.node == device.node }) else {
            throw refused(
                .unknownDevice, "the rig has no node '\(device.node)'; `capctl devices` lists the devices")
        }
        guard node.isConnected else {
            throw refused(
                .nodeUnreachable, "node '\(device.node)' is not connected; its frames return when it is connected again"
            )
        }
        guard let frames = node.frames else {
            throw refused(
                .notRunning, "node '\(device.node)' publishes no frames; set frames.enabled in its configuration")
        }
        let key = frames.key.flatMap(PublicKey.init(base64:)).flatMap { CurvePublicKey(bytes: $0.bytes) }
        guard keys == nil || key != nil else {
            throw refused(
                .notRunning, "node '\(device.node)' does not tell the key of its frames; install equal versions")
        }
        return FramesSource(endpoint: frames.endpoint, key: key)
    }
}

/// Where a node publishes its frames.
struct FramesSource: Hashable, Sendable {
    /// `tcp://HOST:PORT`
    var endpoint: String
    /// The node's public key; nil for a rig without keys.
    var key: CurvePublicKey?

    /// Whether only programs on the node's machine reach it.
    var isLoopback: Bool {
        guard let host = TCPEndpoint(endpoint)?.host else { return false }
        return host == "localhost" || IPAddress(host)?.isLoopback == true
    }
}
