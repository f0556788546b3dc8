import CaptureEngine
import CaptureModel
import FaultPoints
import Logging
import NodeCore
import RigProtocol
import RigWire
import ZeroMQ

/// The agent's end of the control channel: decodes what the coordinator says, hands it to the ``RigMember``, and encodes what
/// that one says.
actor ControlLink: CoordinatorConnection {
    private let socket: DealerSocket
    private let identity: AgentIdentity
    private let log: Logger
    private let framesStatus: @Sendable (_ localAddress: String?) -> FramesStatus?
    private let lane = SendLane<Message>()
    private var dropped = DroppedMessages()

    /// - Parameter framesStatus: The frames channel as it is, by this end's address of the connection to the coordinator; nil
    ///   where there is none.
    init(
        socket: DealerSocket, identity: AgentIdentity, log: Logger,
        framesStatus: @escaping @Sendable (_ localAddress: String?) -> FramesStatus?
    ) {
        self.socket = socket
        self.identity = identity
        self.log = log
        self.framesStatus = framesStatus
    }

    /// Serves until the task is cancelled.
    func run(_ member: RigMember) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await member.run() }
            group.addTask { [socket] in
                for await event in socket.connectionEvents where event.kind == .handshakeSucceeded {
                    await member.connected()
                }
            }
            while let received = await socket.receive() {
                await ControlWaitFault.received.reached()
                await handle(received, member)
            }
            group.cancelAll()
        }
    }

    private func handle(_ received: ReceivedMessage, _ member: RigMember) async {
        let wire: WireCoordinatorMessage
        do {
            guard received.message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
            wire = try WireCoding.control.decode(WireCoordinatorMessage.self, from: received.message.parts[0].bytes)
        } catch {
            return drop(.malformed, "\(error)")
        }
        let header = MessageHeader(wire, to: identity.epoch)
        do {
            guard let message = try CoordinatorMessage(wire) else {
                await member.noteLife(header)
                return drop(.unknown, "a message without a body this version knows")
            }
            await member.accept(message, header)
        } catch {
            await member.noteLife(header)
            drop(.malformed, "\(error)")
        }
    }

    /// Tells the coordinator of each file that a capture owed, once it is there or has failed, until the task is cancelled.
    /// What does not get through, the coordinator asks for.
    func send(_ grown: NewestQueue<CaptureReport>, of member: RigMember) async {
        for await report in grown.elements {
            for _ in 0..<grown.takeLost() { drop(.unsent, "reports of captures, more than may wait") }
            await ControlWaitFault.grown.reached()
            await member.send(.captureResult(.captured(report)))
        }
    }

    @discardableResult
    func send(_ message: NodeMessage, to coordinator: Epoch?, mayWait: Bool) async -> Bool {
        var wire = WireAgentMessage()
        wire.node = identity.node.rawValue
        wire.epoch = identity.epoch.rawValue
        wire.coordinatorEpoch = coordinator?.rawValue ?? 0
        wire.body = message.wire(identity, frames: message.tellsFrames ? framesStatus(await socket.localAddress) : nil)
        do {
            let encoded = Message([MessagePart(try WireCoding.control.encode(wire))])
            let outcome =
                await lane.pass(encoded, at: ControlSendFault(message)) { message in
                    mayWait ? await socket.send(message) : await socket.send { _ in message }
                } ?? .sent
            if mayWait, case .refused(let refusal) = outcome { drop(.unsent, "\(refusal)") }
            return outcome == .sent || outcome == .queued
        } catch {
            log.error("a message cannot be encoded", metadata: ["reason": "\(error)"])
            return false
        }
    }

    func reconnect() async {
        do { try await socket.reconnect() } catch {
            log.error("the connection to the coordinator cannot be made anew", metadata: ["reason": "\(error)"])
        }
    }

    private func drop(_ cause: DroppedMessages.Cause, _ what: String) {
        dropped.note(cause) {
            log.warning("control messages are dropped", metadata: ["cause": "\(cause.rawValue)", "first": "\(what)"])
        }
    }
}
