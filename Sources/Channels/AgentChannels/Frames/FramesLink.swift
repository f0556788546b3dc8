import CaptureEngine
import CaptureModel
import ChannelSecurity
import FaultPoints
import Logging
import NodeCore
import PosixSupport
import RigAccess
import RigConfiguration
import RigSecurity
import RigWire
import Sound
import TurboJPEG
import ZeroMQ

/// The agent's frames channel: publishes the frames of the cameras and kinds that have subscribers, and the sound of
/// the microphones that have subscribers.
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
/// It runs on the thread `zmq-frames`, with its socket. Messages that a subscriber does not read in time are dropped
/// for this subscriber at the socket's high-water mark, so a subscriber that has stopped reading costs two messages of
/// memory.
actor FramesLink {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: SocketExecutor
    private nonisolated let scaler: FrameScaler
    /// nil until the socket is bound; its host is the bound host.
    private nonisolated let latest = Locked<FramesStatus?>(nil)
    /// Signals to check who watches what: several at once are merged into one.
    private nonisolated let looks = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    private let socket: PublisherSocket
    private nonisolated let settings: AgentConfiguration.Frames
    /// nil without keys.
    private nonisolated let key: PublicKey?
    private let sessions: [CaptureSession]
    let microphones: [SoundSession]
    let composer: FrameComposer
    let log: Logger
    private var streams: [FrameTopic: FrameStream] = [:]
    /// Numbers of messages sent, by topic. The number of topics is at most the node's cameras times the kinds.
    private var numbers: [FrameTopic: UInt64] = [:]
    var sounds: [SoundTopic: SoundStream] = [:]
    /// Numbers of sound messages sent, by topic.
    var soundNumbers: [SoundTopic: UInt64] = [:]
    private let lane = SendLane<Message>()

    /// Messages in libzmq for each subscriber: one being sent and one waiting.
    private static let highWaterMark = 2
    /// Subscriptions of each connection that wait to be read.
    private static let subscriptionsWaiting = 64
    /// Limit of connections of viewers and listeners; further connections are closed.
    private static let connectionLimit = 1024
    /// The interval of heartbeats on a stream without frames.
    private static let beatInterval = Duration.seconds(1)

    /// Creates the socket, its thread and the thread for scaling; binds nothing.
    init(
        context: ZeroMQContext, settings: AgentConfiguration.Frames, keys: CurveKeyPair? = nil,
        sessions: [CaptureSession], microphones: [SoundSession] = [], composer: FrameComposer, log: Logger
    ) throws {
        executor = try SocketExecutor(name: "zmq-frames")
        var options = SocketOptions()
        options.maximumMessageSize = FrameEnvelope.maximumByteCount
        options.sendHighWaterMark = Self.highWaterMark
        options.receiveHighWaterMark = Self.subscriptionsWaiting
        options.connectionLimit = Self.connectionLimit
        // Frames continue to be made for a viewer that has stopped reading, so its connection must end.
        options.stallLimit = .seconds(3)
        options.ioThread = AgentSockets.bulkThread
        if let keys { options.security = .channel(.frames, keys) }
        key = keys.flatMap { PublicKey($0.publicKey) }
        socket = try PublisherSocket(context: context, executor: executor, options: options)
        scaler = FrameScaler(executor: try ThreadExecutor(name: "preview"))
        self.settings = settings
        self.sessions = sessions
        self.microphones = microphones
        self.composer = composer
        self.log = log
    }

    /// The endpoint and the counters of the channel; nil until it is bound. Any thread.
    /// - Parameter localAddress: This machine's address as the coordinator's network knows it; nil if it is unknown.
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

    /// Binds the socket to the configured address.
    /// - Throws: ``ZeroMQError`` if the address is in use or is not an address of this machine.
    func bind() async throws {
        let port = settings.listen.port == 0 ? "*" : "\(settings.listen.port)"
        let endpoint = try await socket.bind(to: "tcp://\(ListenHost.bracketed(settings.listen.host)):\(port)")
        var status = FramesAddress.bound(endpoint)
        status.key = key?.base64
        latest.withLock { [status] in $0 = status }
        log.info("frames are published", metadata: ["endpoint": "\(endpoint)"])
    }

    /// The bound socket, whose connections can be ended; nil before it is bound.
    nonisolated var listening: ListeningSocket? {
        latest.withLock { $0?.endpoint }.map { ListeningSocket(.frames, $0, socket) }
    }

    /// Notes that no viewer is connected whose key this revision of the rig's keys does not admit. Any thread.
    nonisolated func enforced(revision: UInt64) {
        latest.withLock { $0?.viewersRevision = revision }
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
                    // Otherwise a frame's arrival would wake a thread of the pool first, and then this one.
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

    /// Copies the count of refused connections into the status, since viewers may keep the socket's thread busy when
    /// the status is read.
    private func countRefusals() async {
        for await _ in socket.connectionEvents {
            let all = await socket.counters.connectionRefusals.values.reduce(0, +)
            // The self-test's own connection does not count.
            let refusals = key == nil ? all : max(0, all - 1)
            latest.withLock { $0?.refusedConnections = UInt64(refusals) }
        }
    }

    /// Sends heartbeats to viewers of streams without frames.
    private func keepBeating() async {
        var last: [[UInt8]: UInt64] = [:]
        while true {
            do { try await composer.clock.sleep(for: Self.beatInterval) } catch { return }
            var sent: [[UInt8]: UInt64] = [:]
            for topic in streams.keys { sent[topic.bytes] = numbers[topic] ?? 0 }
            for topic in sounds.keys { sent[topic.bytes] = soundNumbers[topic] ?? 0 }
            for (topic, number) in sent where last[topic] == number { sendHeartbeat(topic) }
            last = sent
        }
    }

    /// A heartbeat that is not sent is followed by another, unless the socket is closed and the channel ends.
    private func sendHeartbeat(_ topic: [UInt8]) {
        _ = socket.assumeIsolated { $0.publish(Message([MessagePart(FrameEnvelope.beat(of: topic))])) }
    }

    /// Signals that cameras have moved between sessions. Any thread.
    nonisolated func camerasSwitched() {
        looks.continuation.yield()
    }

    /// Runs cameras on standby for as long as they are watched, one camera after another: each wait ends.
    private func followDemands(_ changes: AsyncStream<Void>) async {
        // A session that is not served yet refuses demands, and viewers may arrive before it is served.
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

    /// Ends the streams without viewers, and creates streams for topics that have viewers.
    /// - Returns: The streams that were created.
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
            // The frame is of another camera, which is being tried. If that camera stays, the next check ends the
            // stream.
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

    /// Gives a frame the next number of its topic and sends it. A frame that is not sent uses no number.
    private func publish(_ frame: OutputFrame, of topic: FrameTopic, _ drops: OutputDrops) -> SendOutcome {
        let number = (numbers[topic] ?? 0) &+ 1
        do {
            let message = try composer.message(frame, of: topic, number: number, drops: drops)
            // A message that a test has dropped counts as lost in transit.
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

    /// - Returns: Whether the socket exists.
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
