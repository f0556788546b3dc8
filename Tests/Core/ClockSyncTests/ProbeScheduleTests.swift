import CaptureModel
import ClockSync
import Testing

@Suite struct ProbeScheduleTests {
    private func at(_ milliseconds: Int64) -> LocalTime {
        LocalTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func theOpeningIsThreeBurstsBackToBackAndThenTwoASecond() {
        var schedule = ProbeSchedule(startingAt: at(0))
        var sent: [(ticket: ProbeTicket, at: LocalTime)] = []
        var now = at(0)
        while now < at(3000) {
            now = max(now, schedule.nextInstant)
            guard let ticket = schedule.next(at: now) else { continue }
            sent.append((ticket, now))
            now = now + .milliseconds(4)
            schedule.returned(ticket, at: now)
        }
        #expect(sent.prefix(16).map(\.ticket.position) == Array(0..<15).map { UInt8($0 % 5) } + [0])
        #expect(sent[14].at == at(56))
        let starts = sent.filter { $0.ticket.position == 0 }.map(\.at)
        #expect(starts.prefix(4) == [at(0), at(20), at(40), at(540)])
        #expect(zip(starts.dropFirst(3), starts.dropFirst(4)).allSatisfy { $1 - $0 == .milliseconds(500) })
    }

    @Test func aLostProbeIsGivenUpAndTheBurstGoesOn() {
        var schedule = ProbeSchedule(startingAt: at(0))
        let first = schedule.next(at: at(0))
        #expect(schedule.next(at: at(49)) == nil)
        let second = schedule.next(at: at(50))
        #expect(second == ProbeTicket(burst: 0, position: 1))
        // The late reply to the first does not let the third go out while the second is under way.
        if let first { schedule.returned(first, at: at(60)) }
        #expect(schedule.next(at: at(60)) == nil)
        if let second { schedule.returned(second, at: at(61)) }
        #expect(schedule.next(at: at(61)) == ProbeTicket(burst: 0, position: 2))
    }

    @Test func aDeadPeerIsProbedAtTheSamePaceAndNeverFaster() {
        var schedule = ProbeSchedule(startingAt: at(0))
        var sent = 0
        for millisecond in 0..<60_000 where schedule.next(at: at(Int64(millisecond))) != nil { sent += 1 }
        #expect(sent <= 600 + 15)
    }

    @Test func afterALongPauseThereIsNoBurstOfMissedProbes() {
        var schedule = ProbeSchedule(startingAt: at(0))
        for millisecond in 0..<2000 {
            if let ticket = schedule.next(at: at(Int64(millisecond))) {
                schedule.returned(ticket, at: at(Int64(millisecond)))
            }
        }
        var sent = 0
        for millisecond in 3_600_000..<3_600_400 {
            while let ticket = schedule.next(at: at(Int64(millisecond))) {
                sent += 1
                schedule.returned(ticket, at: at(Int64(millisecond)))
            }
        }
        #expect(sent <= 5)
    }

    @Test func aReconnectionOpensAgainWithFreshBursts() {
        var schedule = ProbeSchedule(startingAt: at(0))
        var now = at(0)
        var last: ProbeTicket?
        for _ in 0..<33 {
            now = max(now, schedule.nextInstant)
            guard let ticket = schedule.next(at: now) else { continue }
            last = ticket
            schedule.returned(ticket, at: now)
        }
        schedule.restart(at: now)
        let next = schedule.next(at: now)
        #expect(next?.position == 0)
        #expect((next?.burst ?? 0) > (last?.burst ?? 0))
        var sent = 1
        if let next { schedule.returned(next, at: now) }
        while let ticket = schedule.next(at: now) {
            sent += 1
            schedule.returned(ticket, at: now)
        }
        #expect(sent == 15)
    }

    @Test func aTicketSurvivesTheWire() {
        let ticket = ProbeTicket(burst: 1_234_567, position: 4)
        #expect(ProbeTicket(sequence: ticket.sequence) == ticket)
        #expect(ProbeTicket(sequence: .max).sequence == .max)
    }
}
