import CaptureEngine
import CaptureModel
import FaultPoints
import Logging
import NodeCore
import PosixSupport
import RigConfiguration
import RigWire
import Sound
import TurboJPEG
import ZeroMQ

/// The agent's frames channel: publishes the frames of those cameras and kinds that somebody is subscribed to, and the sound
/// of those microphones.
///
/// ```
///              first subscriber of a topic
///  unwatched ──────────────────────────────▶ watched: an output is attached to the camera's session, and a task
///      ▲                                        │     publishes what it hands on, one message at a time
///      └────────────────────────────────────────┘
///              its last subscriber has gone, or the session's input is another camera: the output is detached and
///              closed, and its task ends
/// ```
///
/// It lives on the thread `zmq-frames`, with its socket. What a subscriber does not take in time is dropped for this
/// subscriber at the socket's high-water mark, so that one that has stopped reading costs two messages of memory.
actor FramesLink {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: SocketExecutor
    private nonisolated let scaler: FrameScaler
    /// nil until the socket is bound; its host is the one bound.
    private nonisolated let latest = Locked<FramesStatus?>(nil)
    /// Reasons to look at who watches what: of several that come together, one is enough.
    private nonisolated let looks = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private let socket: PublisherSocket
    private nonisolated let settings: AgentConfiguration.Frames
    private let sessions: [CaptureSession]
    let microphones: [SoundSession]
    let composer: FrameComposer
    let log: Logger
    private var streams: [FrameTopic: FrameStream] = [:]
    /// Messages sent, by topic: at most the node's cameras times the kinds.
    private var numbers: [FrameTopic: UInt64] = [:]
    var sounds: [SoundTopic: SoundStream] = [:]
    /// The same of sound.
    var soundNumbers: [SoundTopic: UInt64] = [:]
    private let lane = SendLane<Message>()

    /// Messages in libzmq for each subscriber: one on its way and one behind it.
    private static let highWaterMark = 2
    /// Subscriptions of each connection that wait to be read.
    private static let subscriptionsWaiting = 64
    /// Connections of viewers and listeners; further ones are ended.
    private static let connectionLimit = 1024
    /// How often a stream without frames says that it is there.
    private static let beatInterval = Duration.seconds(1)

    /// Makes the socket, the thread for it and the thread for scaling; nothing is bound yet.
    init(
        context: ZeroMQContext, settings: AgentConfiguration.Frames, sessions: [CaptureSession],
        microphones: [SoundSession] = [], composer: FrameComposer, log: Logger
    ) throws {
        executor = try SocketExecutor(name: "zmq-frames")
        var options = SocketOptions()
        options.maximumMessageSize = FrameEnvelope.maximumByteCount
        options.sendHighWaterMark = Self.highWaterMark
        options.receiveHighWaterMark = Self.subscriptionsWaiting
        options.connectionLimit = Self.connectionLimit
        // What a viewer watches is made for it also when it has stopped reading.
        options.stallLimit = .seconds(3)
        socket = try PublisherSocket(context: context, executor: executor, options: options)
        scaler = FrameScaler(executor: try ThreadExecutor(name: "preview"))
        self.settings = settings
        self.sessions = sessions
        self.microphones = microphones
        self.composer = composer
        self.log = log
    }

    /// Where the channel is and what it has done; nil until it is bound. Any thread.
    /// - Parameter localAddress: This machine's address as the coordinator's network knows it; nil where none is known.
    nonisolated func status(from localAddress: String?) -> FramesStatus? {
        latest.withLock(\.self).map { status in
            var status = status
            status.host = FramesAddress.reachable(
                bound: status.host, advertise: settings.advertise, localAddress: localAddress,
                otherAddress: ReachableAddress.ofThisMachine())
            status.scaled = scaler.scaledCount
            return status
        }
    }

    /// Binds the socket where the configuration says.
    /// - Throws: ``ZeroMQError`` where the address is in use or not this machine's.
    func bind() async throws {
        let port = settings.listen.port == 0 ? "*" : "\(settings.listen.port)"
        let endpoint = try await socket.bind(to: "tcp://\(ListenHost.bracketed(settings.listen.host)):\(port)")
        latest.withLock { $0 = FramesAddress.bound(endpoint) }
        log.info("frames are published", metadata: ["endpoint": "\(endpoint)"])
    }

    /// Serves until the task is cancelled.
    func run() async {
        let (demands, demand) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask { [socket, looks] in
                for await _ in socket.subscriptions { looks.continuation.yield() }
                looks.continuation.finish()
            }
            group.addTask { await self.followDemands(demands) }
            group.addTask { await self.countRefusals() }
            group.addTask { await self.keepBeating() }
            for await _ in looks.stream {
                for stream in startedStreams() {
                    // A frame's arrival would wake a thread of the pool first, and that this one.
                    group.addTask(executorPreference: SocketTaskExecutor(executor)) { await self.serve(stream) }
                }
                for stream in startedSounds() { group.addTask { await self.serve(stream) } }
                latest.withLock { $0?.watched = streams.count + sounds.count }
                demand.yield()
            }
            demand.finish()
            for stream in streams.values { stream.end() }
            streams = [:]
            for stream in sounds.values { stream.output.close() }
            sounds = [:]
            group.cancelAll()
        }
    }

    func close() async {
        await socket.close()
    }

    /// Has the status know of refused connections without asking the socket, whose thread viewers may keep busy.
    private func countRefusals() async {
        for await _ in socket.connectionEvents {
            let refusals = await socket.counters.connectionRefusals.values.reduce(0, +)
            latest.withLock { $0?.refusedConnections = UInt64(refusals) }
        }
    }

    /// Tells viewers of streams without frames that their connection stands.
    private func keepBeating() async {
        var last: [[UInt8]: UInt64] = [:]
        while true {
            do { try await composer.clock.sleep(for: Self.beatInterval) } catch { return }
            var sent: [[UInt8]: UInt64] = [:]
            for topic in streams.keys { sent[topic.bytes] = numbers[topic] ?? 0 }
            for topic in sounds.keys { sent[topic.bytes] = soundNumbers[topic] ?? 0 }
            for (topic, number) in sent where last[topic] == number { beat(topic) }
            last = sent
        }
    }

    /// One that is not sent is followed by another, unless the socket is closed and the channel ends.
    private func beat(_ topic: [UInt8]) {
        _ = socket.assumeIsolated { $0.publish(Message([MessagePart(FrameEnvelope.beat(of: topic))])) }
    }

    /// Tells that cameras have changed places between sessions. Any thread.
    nonisolated func camerasSwitched() {
        looks.continuation.yield()
    }

    /// Has cameras on standby run for as long as they are watched. One camera after the other: each wait ends.
    private func followDemands(_ changes: AsyncStream<Void>) async {
        // A session that nobody serves refuses what is needed of it, and viewers may be faster than its beginning.
        for session in sessions { await session.served() }
        var needed: [ObjectIdentifier: CaptureSession] = [:]
        var heard: [SoundStream] = []
        for await _ in changes {
            await followListeners(&heard)
            let watched = Dictionary(
                streams.values.map { (ObjectIdentifier($0.session), $0.session) },
                uniquingKeysWith: { first, _ in first })
            for (id, session) in needed where watched[id] == nil { await session.release(.preview) }
            for (id, session) in watched where needed[id] == nil { await session.need(.preview) }
            needed = watched
        }
    }

    /// Ends the streams nobody watches any more, and begins those that somebody watches.
    /// - Returns: Those that have begun.
    private func startedStreams() -> [FrameStream] {
        var started: [FrameStream] = []
        for (topic, stream) in streams where !stream.isOfItsCamera {
            streams[topic] = nil
            stream.end()
        }
        for session in sessions {
            for kind in FrameKind.allCases {
                let topic = FrameTopic(device: session.device.id, kind: kind)
                let isWatched = isSubscribed(topic.bytes)
                if isWatched == (streams[topic] != nil) { continue }
                if isWatched {
                    let stream = FrameStream(topic: topic, session: session, output: output(kind))
                    streams[topic] = stream
                    started.append(stream)
                } else {
                    streams.removeValue(forKey: topic)?.end()
                }
            }
        }
        return started
    }

    func isSubscribed(_ topic: [UInt8]) -> Bool {
        socket.assumeIsolated { $0.hasSubscribers(topic) }
    }

    private func output(_ kind: FrameKind) -> any FrameOutput {
        switch kind {
        case .full: VideoDataOutput()
        case .half: VideoDataOutput(scale: .half, quality: settings.quality, scaler: scaler)
        case .quarter: VideoDataOutput(scale: .quarter, quality: settings.quality, scaler: scaler)
        case .eighth: VideoDataOutput(scale: .eighth, quality: settings.quality, scaler: scaler)
        case .preview:
            PreviewOutput(
                settings: .init(
                    maximumWidth: settings.preview.width, maximumHeight: settings.preview.height,
                    gravity: settings.preview.gravity, quality: settings.quality), scaler: scaler)
        }
    }

    private func serve(_ stream: FrameStream) async {
        var unsent = OutputDrops()
        while let frame = await stream.output.next() {
            await FramesWaitFault.frame.reached()
            // Of another camera, which is being tried; the next look ends the stream where that one stays.
            guard stream.isOfItsCamera else { continue }
            var drops = frame.drops
            drops.add(unsent)
            switch publish(frame, of: stream.topic, drops) {
            case .sent, .queued: unsent = OutputDrops()
            case .refused(.closed): return
            case .refused(let refusal):
                unsent = drops
                if refusal == .tooLarge { unsent.oversized &+= 1 } else { unsent.superseded &+= 1 }
            }
        }
    }

    /// Gives a frame the next number of its topic and sends it; one that is not sent has had no number.
    private func publish(_ frame: OutputFrame, of topic: FrameTopic, _ drops: OutputDrops) -> SendOutcome {
        let number = (numbers[topic] ?? 0) &+ 1
        do {
            let message = try composer.message(frame, of: topic, number: number, drops: drops)
            // One that a test has dropped is as one lost on its way.
            let outcome =
                lane.passAtOnce(message, at: FramesSendFault.frame) { message in
                    socket.assumeIsolated { $0.publish(message) }
                } ?? .sent
            if case .refused = outcome { return outcome }
            numbers[topic] = number
            count(message)
            return outcome
        } catch {
            log.error("a frame cannot be published", metadata: ["topic": "\(topic)", "reason": "\(error)"])
            return .refused(.tooLarge)
        }
    }

    /// - Returns: Whether the socket is there.
    func send(_ message: Message) -> Bool {
        let outcome =
            lane.passAtOnce(message, at: FramesSendFault.frame) { message in
                socket.assumeIsolated { $0.publish(message) }
            } ?? .sent
        switch outcome {
        case .sent, .queued: count(message)
        case .refused(.closed): return false
        case .refused: break
        }
        return true
    }

    private func count(_ message: Message) {
        latest.withLock { status in
            status?.published &+= 1
            status?.publishedBytes &+= UInt64(message.byteCount)
        }
    }
}
