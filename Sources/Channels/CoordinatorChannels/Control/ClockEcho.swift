import CaptureModel
import ControlMessages
import FaultPoints
import PosixSupport
import RigProtocol
import RigWire
import ZeroMQ

/// The coordinator's end of the clock channel: answers probes on the socket's thread, with time stamps of receipt and
/// sending. It keeps no state of those who probe, so anyone may.
enum ClockEcho {
    /// - Parameter discipline: How this machine's clock is kept in step; nil while that is not known.
    static func serve(
        _ socket: RouterSocket, clockID: RigClockID, discipline: Locked<DisciplinedClock<RigTimeBase>?>,
        clock: any TimeSource
    ) async {
        let lane = SendLane<Message>()
        await socket.respondInline { _, received, sendTime in
            guard received.message.parts.count == 1,
                let probe = try? WireCoding.clock.decode(WireClockProbe.self, from: received.message.parts[0].bytes)
            else { return nil }
            var reply = WireClockReply()
            reply.sequence = probe.sequence
            reply.t1LocalNs = probe.t1LocalNs
            reply.t2RigNs = received.receivedAtNanoseconds
            reply.rigClockID = clockID.rawValue
            if let discipline = discipline.withLock({ $0 }) { reply.discipline = discipline.wire }
            if let slewed = clock.timeSlewed() { reply.slewedNs = slewed.nanoseconds }
            reply.t3RigNs = sendTime()
            guard let bytes = try? WireCoding.clock.encode(reply) else { return nil }
            return lane.passAtOnce(Message([MessagePart(bytes)]), at: CoordinatorClockSendFault.reply) { $0 }
        }
    }
}

/// The coordinator's messages on the control channel, before they are sent.
enum CoordinatorControlSendFault: String, SendFaultPoint {
    case welcome = "coordinator.control.send.welcome"
    case helloRequired = "coordinator.control.send.helloRequired"
    case refused = "coordinator.control.send.refused"
    case heartbeatAck = "coordinator.control.send.heartbeatAck"
    case prepare = "coordinator.control.send.prepare"
    case fire = "coordinator.control.send.fire"
    case cancel = "coordinator.control.send.cancel"
    case eventAck = "coordinator.control.send.eventAck"
    case viewers = "coordinator.control.send.viewers"
    case coordinatorKey = "coordinator.control.send.coordinatorKey"
    case deviceOrder = "coordinator.control.send.deviceOrder"
    case inventoryRequest = "coordinator.control.send.inventoryRequest"

    init(_ message: CoordinatorMessage) {
        switch message {
        case .welcome: self = .welcome
        case .refused: self = .refused
        case .heartbeatAcknowledged: self = .heartbeatAck
        case .viewers: self = .viewers
        case .coordinatorKey: self = .coordinatorKey
        case .order(.helloRequired): self = .helloRequired
        case .order(.prepare): self = .prepare
        case .order(.fire): self = .fire
        case .order(.cancel): self = .cancel
        case .order(.acknowledgeEvents): self = .eventAck
        case .order(.deviceRequest): self = .deviceOrder
        case .order(.listInventory): self = .inventoryRequest
        }
    }
}

/// Points where the coordinator's tasks of the control channel wait.
enum CoordinatorControlWaitFault: String, TaskFaultPoint {
    /// A message has arrived and is not read yet.
    case received = "coordinator.control.wait.message"
    /// A node's message is about to be carried out.
    case work = "coordinator.control.wait.work"
}

/// The coordinator's answers on the clock channel, before they are sent.
enum CoordinatorClockSendFault: String, SendFaultPoint {
    case reply = "coordinator.clock.send.reply"
}
