import CaptureModel
import FaultPoints
import RigProtocol
import RigWire
import ZeroMQ

/// The coordinator's end of the clock channel: answers probes on the socket's own thread, stamped at receipt and at
/// sending. It keeps nothing, so anyone may probe.
enum ClockEcho {
    static func serve(_ socket: RouterSocket, clockID: RigClockID) async {
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
            reply.t3RigNs = sendTime()
            guard let bytes = try? WireCoding.clock.encode(reply) else { return nil }
            return lane.passAtOnce(Message([MessagePart(bytes)]), at: ClockSendFault.reply) { $0 }
        }
    }
}
