import CaptureModel
import ChannelSecurity
import FaultPoints
import Logging
import RigAccess
import RigProtocol
import RigSecurity
import RigWire
import ZeroMQ

/// What a machine that has joined needs to know of the coordinator.
struct JoinFacts: Hashable, Sendable {
    var rig: RigName
    var controlPort: UInt16
    var clientPort: UInt16
}

/// The join channel: admits keys by code or approval. Anybody may connect, so the only name of a peer is the key that
/// CURVE has proved, and ``AccessControl`` limits attempts and what waits for the disk.
actor JoinService {
    private let socket: RouterSocket
    private let access: AccessControl
    private let facts: JoinFacts
    private let log: Logger
    private(set) var dropped = DroppedMessages()
    private let lane = SendLane<(Message, PeerID)>()

    init(socket: RouterSocket, access: AccessControl, facts: JoinFacts, log: Logger) {
        self.socket = socket
        self.access = access
        self.facts = facts
        self.log = log
    }

    /// Serves until the task is cancelled. The number of requests under way is bounded by ``AccessControl``, which
    /// refuses those that it cannot begin.
    func run() async {
        await withDiscardingTaskGroup { group in
            while let (peer, received) = await socket.receive() {
                await JoinWaitFault.received.reached()
                guard let identity = PeerIdentity(of: received), let request = decode(received.message) else {
                    continue
                }
                group.addTask { await self.answer(request, from: identity, peer) }
            }
            group.cancelAll()
        }
    }

    private func decode(_ message: Message) -> WireJoin? {
        do {
            guard message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
            return try WireCoding.join.decode(WireJoin.self, from: message.parts[0].bytes)
        } catch {
            dropped.note(.malformed) { log.warning("join messages are dropped", metadata: ["first": "\(error)"]) }
            return nil
        }
    }

    private func answer(_ request: WireJoin, from identity: PeerIdentity, _ peer: PeerID) async {
        var reply = WireJoinReply()
        reply.requestID = request.requestID
        do {
            reply.body = try await outcome(of: JoinMeans(wire: request), for: identity)
        } catch let error as AccessError {
            reply.refusal = error.wire
        } catch {
            reply.refusal.code = RigProblem.Code.protocolViolation.rawValue
            reply.refusal.message = "\(error)"
        }
        await send(reply, to: peer)
    }

    private func outcome(
        of means: JoinMeans, for identity: PeerIdentity
    ) async throws(AccessError) -> WireJoinReply.OneOf_Body {
        switch means {
        case .token(let token):
            return admission(try await access.redeem(token, for: identity.key, from: identity.address).holder)
        case .approval(let name, let role):
            switch try await access.request(name, role: role, for: identity.key, from: identity.address) {
            case .admitted(let holder): return admission(holder)
            case .waiting: return .waiting(WireJoinWaiting(askAgainAfter: AttemptLimiter.interval))
            }
        case .standing: return admission(try access.snapshot.standing(of: identity.key))
        }
    }

    private func admission(_ holder: KeyHolder) -> WireJoinReply.OneOf_Body {
        let admission = JoinAdmission(
            name: holder.name, role: holder.role, rig: facts.rig, controlPort: facts.controlPort,
            clientPort: facts.clientPort)
        return .admission(admission.wire)
    }

    private func send(_ reply: WireJoinReply, to peer: PeerID) async {
        do {
            let bytes = try WireCoding.join.encode(reply)
            let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: JoinSendFault.reply) {
                await socket.send($0.0, to: $0.1)
            }
            if case .refused(let refusal) = outcome, refusal != .unknownPeer {
                dropped.note(.unsent) { log.warning("join replies are dropped", metadata: ["first": "\(refusal)"]) }
            }
        } catch {
            log.error("a join reply cannot be encoded", metadata: ["reason": "\(error)"])
        }
    }
}

extension AccessError {
    fileprivate var wire: WireJoinRefusal {
        var wire = WireJoinRefusal()
        wire.code = code.rawValue
        wire.message = description
        if let retryAfter { wire.retryAfterNs = retryAfter.nanoseconds }
        return wire
    }
}

extension WireJoinWaiting {
    fileprivate init(askAgainAfter pause: Duration) {
        self.init()
        askAgainNs = pause.nanoseconds
    }
}

/// The coordinator's answers on the join channel, before they are sent.
enum JoinSendFault: String, SendFaultPoint {
    case reply = "coordinator.join.send.reply"
}

/// Points where the coordinator's tasks of the join channel wait.
enum JoinWaitFault: String, TaskFaultPoint {
    /// A request has arrived and is not read yet.
    case received = "coordinator.join.wait.request"
}
