import CaptureModel
import ControlMessages
import FaultPoints
import Logging
import NodeCore
import RigConfiguration
import RigSecurity
import RigWire
import ZeroMQ

/// The agent's end of the control channel: decodes the coordinator's messages, passes them to the ``RigMember``, and
/// encodes the member's messages.
actor ControlLink: CoordinatorConnection {
    private let socket: DealerSocket
    private let identity: AgentIdentity
    private let clock: any TimeSource
    private let log: Logger
    /// nil without keys.
    private let path: CoordinatorPath?
    private let framesStatus: @Sendable (_ localAddress: String?) -> FramesStatus?
    private let lane = SendLane<Message>()
    private var dropped = DroppedMessages()
    private let refusalCause: @Sendable () async -> RefusalCause?
    private var refusal = RefusalNotice()
    /// Messages of the control channel that have arrived.
    private var heard: UInt64 = 0

    /// A coordinator welcomes an agent within this time.
    static let welcomePatience = Duration.seconds(10)

    /// - Parameters:
    ///   - refusalCause: Asks the coordinator why it refuses the agent; nil for an agent without keys.
    ///   - framesStatus: Returns the status of the frames channel, given this machine's address on the
    ///     connection to the coordinator; nil without a frames channel.
    init(
        socket: DealerSocket, path: CoordinatorPath? = nil, identity: AgentIdentity, clock: any TimeSource, log: Logger,
        refusalCause: @escaping @Sendable () async -> RefusalCause?,
        framesStatus: @escaping @Sendable (_ localAddress: String?) -> FramesStatus?
    ) {
        self.socket = socket
        self.path = path
        self.identity = identity
        self.clock = clock
        self.log = log
        self.refusalCause = refusalCause
        self.framesStatus = framesStatus
    }

    /// Serves until the task is cancelled.
    func run(_ member: RigMember) async {
        let (refusals, refusal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (admissions, admission) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask { await member.run() }
            group.addTask { [socket, path] in
                var handshake = HandshakeWatch()
                for await event in socket.connectionEvents {
                    await path?.note(event)
                    if handshake.note(event), handshake.finding == .endedEarly { await self.tell(Self.endedEarly) }
                    if event.kind == .handshakeSucceeded {
                        await self.noteAdmission()
                        admission.yield()
                        await member.connected()
                    }
                    if handshake.finding == .keyRefused { refusal.yield() }
                }
                refusal.finish()
                admission.finish()
            }
            group.addTask { await self.tellSilence(after: admissions) }
            group.addTask { await self.reconnect(after: refusals) }
            while let received = await socket.receive() {
                await AgentControlWaitFault.received.reached()
                await handle(received, member)
            }
            group.cancelAll()
        }
    }

    /// Connects again after refusals, since libzmq does not: the key may have been admitted since.
    private func reconnect(after refusals: AsyncStream<Void>) async {
        var pause = RetryDelay(first: .seconds(1), last: .seconds(15))
        var last = clock.now()
        for await _ in refusals {
            // A refusal long after the one before it begins a new series.
            if clock.now() - last > .seconds(60) { pause.reset() }
            await tellRefusal()
            guard (try? await clock.sleep(for: pause.advance())) != nil else { return }
            last = clock.now()
            await reconnect()
        }
    }

    /// Asks the coordinator why it refuses the agent, and tells it if that has changed.
    private func tellRefusal() async {
        if let cause = await refusalCause(), let reason = refusal.note(cause) { tell(reason) }
    }

    private func noteAdmission() { refusal.noteAdmission() }

    /// Says so if an endpoint admits the agent and then does not answer it, as other channels of a coordinator do; again once it has answered.
    private func tellSilence(after admissions: AsyncStream<Void>) async {
        var isTold = false
        for await _ in admissions {
            let before = heard
            guard (try? await clock.sleep(for: Self.welcomePatience)) != nil else { return }
            if heard == before, !isTold { tell(Self.unanswered) }
            isTold = heard == before
        }
    }

    private static let unanswered =
        "the coordinator accepts the connection and does not answer: either `coordinator` in this node's configuration names "
        + "another of its ports than that of its control channel (\(CoordinatorPort.control.standard), unless its "
        + "`listen.basePort` is another), or it hangs"

    private func tell(_ reason: String) {
        log.error("no connection to the coordinator; the agent keeps trying", metadata: ["reason": "\(reason)"])
    }

    private static let endedEarly =
        "the program there ends connections before it proves the coordinator's key: it is another program or coordinator, or it "
        + "accepts no further connection; check the address, or if the coordinator was set up again, join it: capagentd join CODE"

    private func handle(_ received: ReceivedMessage, _ member: RigMember) async {
        let envelope: CoordinatorEnvelope
        do {
            guard received.message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
            envelope = try CoordinatorEnvelope(bytes: received.message.parts[0].bytes)
        } catch {
            return drop(.malformed, "\(error)")
        }
        heard &+= 1
        let header = MessageHeader(
            coordinator: envelope.coordinator, isForThisLife: envelope.agent == identity.epoch)
        do {
            switch try envelope.message(to: identity.node) {
            case .coordinatorKey(let key): await path?.learned(key)
            case let message?: await member.accept(message, header)
            case nil:
                await member.noteLife(header)
                drop(.unknown, "a message without a body this version knows")
            }
        } catch {
            await member.noteLife(header)
            drop(.malformed, "\(error)")
        }
    }

    /// Reports each further file of a capture to the coordinator once it exists or has failed, until the task is
    /// cancelled. If a report is lost, the coordinator requests it.
    func send(_ grown: NewestQueue<CaptureReport>, of member: RigMember) async {
        for await report in grown.elements {
            for _ in 0..<grown.removeLostCount() { drop(.unsent, "too many reports of captures are waiting") }
            await AgentControlWaitFault.grown.reached()
            await member.send(.captureResult(.captured(report)))
        }
    }

    @discardableResult
    func send(_ message: NodeMessage, to coordinator: Epoch?, mayWait: Bool) async -> Bool {
        let message = await completed(message)
        do {
            let bytes = try NodeEnvelope.bytes(
                of: message, from: identity.node, epoch: identity.epoch, to: coordinator)
            let encoded = Message([MessagePart(bytes)])
            let outcome =
                await lane.pass(encoded, at: AgentControlSendFault(message)) { message in
                    mayWait ? await socket.send(message) : await socket.send { _ in message }
                } ?? .sent
            if mayWait, case .refused(let refusal) = outcome { drop(.unsent, "\(refusal)") }
            return outcome == .sent || outcome == .queued
        } catch {
            log.error("a message cannot be encoded", metadata: ["reason": "\(error)"])
            return false
        }
    }

    /// Adds what only the channels know: the linked libzmq, and the frames channel.
    private func completed(_ message: NodeMessage) async -> NodeMessage {
        switch message {
        case .hello(var hello):
            hello.busLibrary = .linked
            hello.frames = framesStatus(await socket.localAddress)
            return .hello(hello)
        case .heartbeat(var heartbeat):
            heartbeat.frames = framesStatus(await socket.localAddress)
            return .heartbeat(heartbeat)
        default: return message
        }
    }

    func reconnect() async {
        do { try await socket.reconnect() } catch {
            log.error("the connection to the coordinator cannot be made again", metadata: ["reason": "\(error)"])
        }
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("control messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }
}

extension BusLibrary {
    /// The libzmq that this process is linked with.
    static let linked = BusLibrary(version: ZeroMQLibrary.linked.version, isHardened: ZeroMQLibrary.linked.isHardened)
}

/// The agent's messages on the control channel, before they are sent.
enum AgentControlSendFault: String, SendFaultPoint {
    case hello = "agent.control.send.hello"
    case heartbeat = "agent.control.send.heartbeat"
    case prepareResult = "agent.control.send.prepareResult"
    case captured = "agent.control.send.captured"
    /// The report of a capture whose movie has ended.
    case recorded = "agent.control.send.recorded"
    case missed = "agent.control.send.missed"
    case events = "agent.control.send.events"
    case deviceAnswer = "agent.control.send.deviceAnswer"
    case inventory = "agent.control.send.inventory"

    init(_ message: NodeMessage) {
        switch message {
        case .hello: self = .hello
        case .heartbeat: self = .heartbeat
        case .prepareResult: self = .prepareResult
        case .captureResult(.captured(let report)): self = report.movie == nil ? .captured : .recorded
        case .captureResult(.missed): self = .missed
        case .events: self = .events
        case .deviceAnswer: self = .deviceAnswer
        case .inventory: self = .inventory
        }
    }
}

/// Points where the agent's tasks of the control channel wait.
enum AgentControlWaitFault: String, TaskFaultPoint {
    /// A message has arrived and is not read yet.
    case received = "agent.control.wait.message"
    /// A capture has a further file, which is about to be reported.
    case grown = "agent.control.wait.grown"
}
