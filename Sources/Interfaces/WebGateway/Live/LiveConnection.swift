internal import CaptureModel
internal import FoundationEssentials
internal import NIOCore
internal import NIOWebSocket
internal import RigClient
internal import RigSecurity
internal import RigWire
internal import ServiceLifecycle

/// The WebSocket of one page.
///
/// | task | ends |
/// |---|---|
/// | reads messages of the page | with the connection |
/// | sends the state of the rig | with the connection |
/// | sends events | with the connection, or when the page is too far behind: it connects again |
/// | sends who has the page open | with the connection |
/// | answers pings, the newest first | with the connection |
/// | hears whether the session is valid, each second | when it is not: the page is told, and the connection ends |
/// | asks the browser for a sign of life, every 5 s | when none has come for 15 s, or none could be sent: the browser is gone, or reads nothing |
/// | sends the pictures of a camera, one for each that the page watches | when the page no longer watches it |
///
/// The first of them but the last that ends, ends the connection and all other tasks.
actor LiveConnection {
    /// The most cameras that a page watches.
    static let cameraLimit = 128
    /// The most pictures a second that a page may ask for.
    static let rates = 0.1...60.0
    private static let pulse = Duration.seconds(5)
    private static let patience = Duration.seconds(15)
    /// How long the reason for an end may take to be sent.
    private static let farewell = Duration.milliseconds(250)

    private let rig: GatewayRig
    private let session: SessionSecret
    private let writer: NIOAsyncChannelOutboundWriter<WebSocketFrame>
    private var cameras: [UInt16: CameraView] = [:]
    private var lastSign: LocalTime
    /// When the sign-of-life request under way was handed to the connection.
    private var unsentSince: LocalTime?
    /// The newest ping that is not answered.
    private let pings = AsyncStream.makeStream(of: Int.self, bufferingPolicy: .bufferingNewest(1))
    private var isEnded = false

    /// A camera that the page watches.
    private struct CameraView {
        var task: Task<Void, Never>
        /// Each element lets one more picture go.
        var permit: AsyncStream<Void>.Continuation
    }

    private init(_ rig: GatewayRig, _ session: SessionSecret, _ writer: NIOAsyncChannelOutboundWriter<WebSocketFrame>) {
        self.rig = rig
        self.session = session
        self.writer = writer
        lastSign = rig.time.now()
    }

    /// Serves a page until its connection ends.
    static func serve(_ channel: UpgradingChannel.Frames, _ session: SessionSecret, _ rig: GatewayRig) async {
        try? await channel.executeThenClose { inbound, outbound in
            let connection = LiveConnection(rig, session, outbound)
            await cancelWhenGracefulShutdown {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { await connection.read(inbound) }
                    group.addTask { await connection.send(rig.watch.states()) }
                    group.addTask { await connection.send(rig.watch.events()) }
                    group.addTask { await connection.sendPresence() }
                    group.addTask { await connection.answerPings() }
                    group.addTask { await connection.watchSession() }
                    group.addTask { await connection.keepAlive() }
                    await group.next()
                    group.cancelAll()
                    await connection.end()
                    // A page that reads nothing holds a write, and so its task, for ever.
                    try? await channel.channel.close()
                }
            }
        }
    }

    private func end() {
        isEnded = true
        for view in cameras.values { view.task.cancel() }
        cameras = [:]
    }

    // MARK: What the page says

    private func read(_ inbound: NIOAsyncChannelInboundStream<WebSocketFrame>) async {
        do {
            for try await frame in inbound {
                lastSign = rig.time.now()
                switch frame.opcode {
                case .text where frame.fin:
                    let data = Data(frame.unmaskedData.readableBytesView)
                    guard let message = try? JSONDecoder().decode(PageMessage.self, from: data),
                        try await handle(message)
                    else { return try await close(.policyViolation) }
                case .ping: try await write(.pong, frame.unmaskedData)
                case .pong: break
                case .connectionClose: return try await write(.connectionClose, frame.unmaskedData.prefix(2))
                // Pages send short text messages in one piece.
                default: return try await close(.policyViolation)
                }
            }
        } catch {
            // The connection has ended.
        }
    }

    /// - Returns: Whether the message is complete.
    private func handle(_ message: PageMessage) async throws -> Bool {
        switch message.type {
        case .ping: pings.continuation.yield(message.id ?? 0)
        case .watch:
            guard let camera = message.camera, let device = message.device else { return false }
            let rate = min(max(message.rate ?? 10, Self.rates.lowerBound), Self.rates.upperBound)
            try await watch(device, message.kind ?? .preview, as: camera, rate: rate)
        case .unwatch: if let camera = message.camera { cameras.removeValue(forKey: camera)?.task.cancel() }
        case .ack: if let camera = message.camera { cameras[camera]?.permit.yield() }
        }
        return true
    }

    // MARK: What the gateway says

    private func send(_ messages: AsyncStream<ByteBuffer>) async {
        for await message in messages {
            do { try await write(.text, message) } catch { return }
        }
    }

    /// Is present as soon as the coordinator says who asks.
    private func sendPresence() async {
        repeat {
            if let identity = try? await rig.with(session, { try await $0.identity() }) {
                let visitor = PresentPeople.Visitor(
                    principal: identity.principal, label: identity.session?.label ?? "")
                return await send(await rig.presence.enter(visitor))
            }
        } while (try? await rig.time.sleep(for: SessionCheck.interval)) != nil
    }

    private func answerPings() async {
        for await id in pings.stream {
            let now = try? await rig.client.status().now
            do { try await send(.pong(id: id, rig: now)) } catch { return }
        }
    }

    private func watchSession() async {
        var check = SessionCheck(rig.time)
        for await standing in await rig.watch.standings(of: session) {
            guard let problem = check.ending(standing) else { continue }
            // Not awaited: a page that reads nothing would stay.
            Task { try? await self.send(.ended(problem.detail)) }
            try? await rig.time.sleep(for: Self.farewell)
            return
        }
    }

    private func keepAlive() async {
        while (try? await rig.time.sleep(for: Self.pulse)) != nil {
            let now = rig.time.now()
            guard now < lastSign + Self.patience, unsentSince.map({ now < $0 + Self.patience }) ?? true else { return }
            guard unsentSince == nil else { continue }
            unsentSince = now
            // Not awaited: a browser that reads nothing would hold this task. One at a time.
            Task { await self.askForLife() }
        }
    }

    private func askForLife() async {
        guard (try? await write(.ping, ByteBuffer())) != nil else { return }
        unsentSince = nil
    }

    // MARK: Pictures

    private func watch(_ device: DeviceID, _ kind: FrameKind, as camera: UInt16, rate: Double) async throws {
        cameras.removeValue(forKey: camera)?.task.cancel()
        guard cameras.count < Self.cameraLimit else { return try await close(.policyViolation) }
        guard await rig.watch.knows(device) else {
            return try await send(.silent(camera: camera, "the rig has no camera '\(device)'"))
        }
        // Watched nevertheless: the camera may be given another format.
        if let problem = await rig.watch.livePictureProblem(of: device) {
            try await send(.silent(camera: camera, problem))
        }
        let topic = FrameTopic(device: device, kind: kind)
        do {
            let news = try await rig.pictures.pictures(of: topic)
            // The page may be gone, or watch another camera under the number, since this was asked.
            guard !isEnded, cameras[camera] == nil else { return }
            let (permits, permit) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            permit.yield()
            // Unstructured, since a page ends it by a message.
            let task = Task { await self.show(news, as: camera, at: .seconds(1 / rate), permits) }
            cameras[camera] = CameraView(task: task, permit: permit)
        } catch let problem as GatewayProblem {
            try await send(.silent(camera: camera, problem.detail))
        }
    }

    /// Sends the newest picture, waits until the page has shown it and its time has passed, and sends the newest then.
    private func show(
        _ news: AsyncStream<PictureNews>, as camera: UInt16, at interval: Duration, _ permits: AsyncStream<Void>
    ) async {
        var permits = permits.makeAsyncIterator()
        var (previous, pace): (UInt64?, PicturePace) = (nil, PicturePace(interval: interval))
        guard await permits.next() != nil else { return }
        for await item in news {
            let next: LocalTime
            do {
                switch item {
                case .silent(let detail):
                    try await send(.silent(camera: camera, detail))
                    continue
                case .picture(let picture):
                    next = pace.next(after: rig.time.now())
                    try await send(picture, as: camera, after: previous)
                    previous = picture.header.dropped
                }
            } catch {
                return
            }
            guard await permits.next() != nil, !Task.isCancelled else { return }
            if next > rig.time.now() { try? await rig.time.sleep(until: next) }
        }
    }

    private func send(_ picture: Picture, as camera: UInt16, after previous: UInt64?) async throws {
        var message = ByteBufferAllocator().buffer(capacity: PictureHeader.byteCount + picture.jpeg.readableBytes)
        picture.header.write(camera: camera, after: previous, to: &message)
        message.writeImmutableBuffer(picture.jpeg)
        try await write(.binary, message)
    }

    private func send(_ message: LiveMessage) async throws {
        guard let text = message.text else { return }
        try await write(.text, text)
    }

    private func close(_ code: WebSocketErrorCode) async throws {
        var data = ByteBuffer()
        data.write(webSocketErrorCode: code)
        try await write(.connectionClose, data)
    }

    private nonisolated func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) async throws {
        try await writer.write(WebSocketFrame(fin: true, opcode: opcode, data: data))
    }
}

extension ByteBuffer {
    /// Its first bytes.
    fileprivate func prefix(_ count: Int) -> ByteBuffer {
        getSlice(at: readerIndex, length: min(count, readableBytes)) ?? ByteBuffer()
    }
}
