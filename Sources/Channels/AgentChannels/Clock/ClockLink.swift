import CaptureModel
import ClockSync
import FaultPoints
import Logging
import RigProtocol
import RigWire
import ZeroMQ

/// The agent's end of the clock channel: sends probes by schedule and passes the replies to the estimate.
///
/// Its socket has a separate executor thread, so that nothing else delays the time stamps.
actor ClockLink {
    private let socket: DealerSocket
    private let estimate: RigClockEstimate
    private let clock: any TimeSource
    private let log: Logger
    private let alarm: Alarm
    private var schedule: ProbeSchedule
    private var silence = SilenceWatch(patience: RetryDelay(first: .seconds(2), last: .seconds(2)))
    private var endpoint: String?
    private var dropped = DroppedMessages()
    private let lane = SendLane<ProbeID>()

    init(socket: DealerSocket, estimate: RigClockEstimate, clock: any TimeSource, log: Logger) {
        self.socket = socket
        self.estimate = estimate
        self.clock = clock
        self.log = log
        alarm = Alarm(clock: clock)
        schedule = ProbeSchedule(startingAt: clock.now())
    }

    /// Follows the coordinator to its clock channel; does nothing if it is already connected there.
    func follow(to newEndpoint: String) async {
        if newEndpoint != endpoint {
            if let endpoint { try? await socket.disconnect(from: endpoint) }
            do {
                try await socket.connect(to: newEndpoint)
                endpoint = newEndpoint
            } catch {
                log.error("no clock channel", metadata: ["endpoint": "\(newEndpoint)", "reason": "\(error)"])
                return
            }
        }
        probeAnew()
    }

    /// Probes at once, at the rate of the start.
    func probeAnew() {
        schedule.restart(at: clock.now())
        alarm.ring()
    }

    /// Serves until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.probe() }
            while let received = await socket.receive() {
                await ClockWaitFault.received.reached()
                accept(received)
            }
            group.cancelAll()
            alarm.ring()
        }
    }

    private func probe() async {
        while !Task.isCancelled {
            if silence.checkSilence(at: clock.now()) { await reconnect() }
            if endpoint != nil, let ticket = schedule.next(at: clock.now()) { await send(ticket) }
            await ClockWaitFault.probe.reached()
            await alarm.wait(until: endpoint == nil ? nil : schedule.nextInstant)
        }
    }

    private func reconnect() async {
        log.warning("the clock channel is silent; connecting again", metadata: ["endpoint": "\(endpoint ?? "")"])
        do { try await socket.reconnect() } catch {
            log.error("the clock channel cannot be connected again", metadata: ["reason": "\(error)"])
        }
    }

    /// A probe that cannot be sent at once is dropped, since its time stamp would be wrong.
    private func send(_ ticket: ProbeID) async {
        let outcome = await lane.pass(ticket, at: AgentClockSendFault.probe) { ticket in
            await socket.send { sendTime in
                var probe = WireClockProbe()
                probe.sequence = ticket.sequence
                probe.t1LocalNs = sendTime
                return Message([MessagePart((try? WireCoding.clock.encode(probe)) ?? [])])
            }
        }
        if outcome == .sent { silence.asked(at: clock.now()) }
    }

    /// Returns by how much this machine's clock had been slewed when a reply was received; nil if that was too long ago, since a slew that
    /// went on would be taken for a faster one.
    private func timeSlewed(at returned: LocalTime) -> Duration? {
        let slewed = clock.timeSlewed()
        return clock.now() - returned <= .milliseconds(5) ? slewed : nil
    }

    private func accept(_ received: ReceivedMessage) {
        silence.heard()
        do {
            guard received.message.parts.count == 1 else { throw DroppedMessages.Cause.malformed }
            let reply = try WireCoding.clock.decode(WireClockReply.self, from: received.message.parts[0].bytes)
            let ticket = ProbeID(sequence: reply.sequence)
            // The stamps are usable without it.
            let discipline: DisciplinedClock<RigTimeBase>? =
                reply.hasDiscipline ? (try? DisciplinedClock(wire: reply.discipline)) : nil
            let returned = LocalTime(nanoseconds: received.receivedAtNanoseconds)
            let probe = ClockProbe(
                sent: LocalTime(nanoseconds: reply.t1LocalNs), received: RigTime(nanoseconds: reply.t2RigNs),
                replied: RigTime(nanoseconds: reply.t3RigNs),
                returned: returned, nodeSlewed: timeSlewed(at: returned),
                coordinatorSlewed: reply.hasSlewedNs ? .nanoseconds(reply.slewedNs) : nil,
                coordinatorDiscipline: discipline)
            estimate.add(probe, ticket: ticket, clock: RigClockID(rawValue: reply.rigClockID))
            schedule.returned(ticket, at: clock.now())
            alarm.ring()
        } catch {
            dropped.note(.malformed) { log.warning("clock replies are dropped", metadata: ["first": "\(error)"]) }
        }
    }
}

/// The agent's messages on the clock channel, before they are sent.
enum AgentClockSendFault: String, SendFaultPoint {
    case probe = "agent.clock.send.probe"
}

/// Points where the agent's tasks of the clock channel wait.
enum ClockWaitFault: String, TaskFaultPoint {
    case probe = "agent.clock.wait.probe"
    /// A reply has arrived and is not read yet.
    case received = "agent.clock.wait.message"
}
