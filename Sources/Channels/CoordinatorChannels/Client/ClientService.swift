import CaptureModel
import FaultPoints
import FoundationEssentials
import Logging
import RigAccess
import RigCore
import RigProtocol
import RigSecurity
import RigWire
import ZeroMQ

/// The client channel: decodes requests of `capctl` and other clients, passes them to the rig, and encodes the answers.
/// Requests of one client may overlap; each is answered under its id.
actor ClientService {
    private let socket: RouterSocket
    private let service: any RigService
    private let authority: PeerAuthority
    private let epoch: Epoch
    private let clock: any TimeSource
    private let facts: ChannelStatus
    private let log: Logger
    private var dropped = DroppedMessages()
    private let lane = SendLane<(Message, PeerID)>()

    init(
        socket: RouterSocket, service: any RigService, authority: PeerAuthority, epoch: Epoch, clock: any TimeSource,
        facts: ChannelStatus, log: Logger
    ) {
        self.socket = socket
        self.service = service
        self.authority = authority
        self.epoch = epoch
        self.clock = clock
        self.facts = facts
        self.log = log
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            while let (peer, received) = await socket.receive() {
                await ClientWaitFault.received.reached()
                guard let wire = decode(received.message) else { continue }
                switch request(wire, received, peer) {
                case .success(let request):
                    let answers = service.perform(request)
                    group.addTask { await self.reply(answers, wire.requestID, peer) }
                case .failure(let problem):
                    group.addTask { await self.reply(.failure(WireFailure(problem)), wire.requestID, peer) }
                }
            }
            group.cancelAll()
        }
    }

    /// The request in the name of its sender.
    private func request(
        _ wire: WireClientRequest, _ received: ReceivedMessage, _ peer: PeerID
    ) -> Result<RigRequest, RigProblem> {
        do {
            var requester = try authority.requester(
                of: received, claimed: wire.clientName, session: wire.session, token: RequesterToken(peer),
                at: WallTime(nanoseconds: clock.wallClockPair().realtimeNanoseconds))
            requester.requestNumber = wire.requestNumber == 0 ? nil : wire.requestNumber
            return .success(try RigRequest(wire: wire, by: requester))
        } catch let problem as RigProblem {
            return .failure(problem)
        } catch {
            return .failure(RigProblem(.protocolViolation, "\(error)"))
        }
    }

    private func decode(_ message: Message) -> WireClientRequest? {
        do {
            guard message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
            return try WireCoding.client.decode(WireClientRequest.self, from: message.parts[0].bytes)
        } catch {
            dropped.note(.malformed) { log.warning("client messages are dropped", metadata: ["first": "\(error)"]) }
            return nil
        }
    }

    private func reply(_ answers: AsyncStream<RigAnswer>, _ request: UInt64, _ peer: PeerID) async {
        for await answer in answers {
            // A client that has left awaits nothing more: its request ends with the stream, and a shot continues.
            guard await reply(await body(of: answer), request, peer) else { return }
            // A part of a file occupies its place until it is sent.
            withExtendedLifetime(answer) {}
        }
    }

    private func body(of answer: RigAnswer) async -> WireClientReply.OneOf_Body {
        if case .status(let status) = answer { return .status(await message(status)) }
        return answer.wire(at: clock.now())
    }

    /// The status of the rig with the status of the channels.
    private func message(_ status: RigSnapshot) async -> WireRigStatus {
        var message = status.wire
        message.feedPort = UInt32(facts.feedPort)
        message.rig = facts.rig.rawValue
        if let key = facts.key { message.coordinatorKey = Data(key.publicKey.bytes) }
        message.software = Coordinator.software
        message.busLibrary = BusLibrary.linked.wire
        for counts in [dropped.counts(of: "client"), await facts.channels.droppedMessages()] {
            message.droppedMessages.merge(counts) { own, _ in own }
        }
        message.refusedConnections = facts.refusedConnections.counts
        return message
    }

    /// - Returns: Whether the client is still connected, as far as is known.
    @discardableResult
    private func reply(_ body: WireClientReply.OneOf_Body, _ request: UInt64, _ peer: PeerID) async -> Bool {
        var reply = WireClientReply()
        reply.requestID = request
        reply.epoch = epoch.rawValue
        reply.body = body
        do {
            let bytes = try WireCoding.client.encode(reply)
            let outcome = await lane.pass((Message([MessagePart(bytes)]), peer), at: ClientSendFault(body)) {
                await socket.send($0.0, to: $0.1)
            }
            guard case .refused(let refusal) = outcome else { return true }
            guard refusal != .unknownPeer else { return false }
            dropped.note(.unsent) { log.warning("replies are dropped", metadata: ["first": "\(refusal)"]) }
        } catch {
            log.error("a reply cannot be encoded", metadata: ["reason": "\(error)"])
            guard case .failure = body else {
                let problem = RigProblem(.protocolViolation, error.description)
                return await self.reply(.failure(WireFailure(problem)), request, peer)
            }
        }
        return true
    }
}

extension RequesterToken {
    /// A client is told apart by its connection.
    init(_ peer: PeerID) {
        self.init(frontEnd: "client", bytes: peer.bytes)
    }
}

/// The part of the status that concerns the channels.
struct ChannelStatus: Sendable {
    var feedPort: UInt16
    var rig: RigName
    /// nil without keys.
    var key: OwnKey?
    var channels: ChannelLinks
    var refusedConnections: RefusedConnections
}

extension BusLibrary {
    /// The libzmq that this process is linked with.
    static let linked = BusLibrary(version: ZeroMQLibrary.linked.version, isHardened: ZeroMQLibrary.linked.isHardened)
}

/// The coordinator's replies to clients, before they are sent.
enum ClientSendFault: String, SendFaultPoint {
    case failure = "coordinator.client.send.failure"
    case progress = "coordinator.client.send.progress"
    case shot = "coordinator.client.send.shot"
    case deviceReply = "coordinator.client.send.deviceReply"
    case mark = "coordinator.client.send.mark"
    case annotation = "coordinator.client.send.annotation"
    /// A part of a stored file, or a small picture of one.
    case assetPart = "coordinator.client.send.assetPart"
    /// The answer to a request that waits for no node.
    case listing = "coordinator.client.send.listing"

    init(_ body: WireClientReply.OneOf_Body) {
        switch body {
        case .failure: self = .failure
        case .progress: self = .progress
        case .shot: self = .shot
        case .deviceReply, .settingsReport, .savedProfile, .profile: self = .deviceReply
        case .takeMark: self = .mark
        case .shotAnnotation: self = .annotation
        case .assetPart, .smallPicture: self = .assetPart
        case .deviceList, .forgotten, .status, .shotList, .manifestPage, .verification, .unclaimedFiles, .events,
            .keyList, .invitation, .keyHolders, .keyRequest, .keyRotation, .keyExport, .auditPart,
            .hold, .issuedSession, .endedSession, .sessionList, .identity, .gatewayNoted,
            .profileList, .settingsHistory, .deletedShot:
            self = .listing
        }
    }
}

/// Points where the coordinator's tasks of the client channel wait.
enum ClientWaitFault: String, TaskFaultPoint {
    /// A request has arrived and is not read yet.
    case received = "coordinator.client.wait.request"
}
