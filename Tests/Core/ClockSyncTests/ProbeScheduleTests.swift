import CaptureModel
import CaptureTestSupport
import ClockSync
import Testing

@Suite struct ProbeScheduleTests {
    private func at(_ milliseconds: Int64) -> LocalTime {
        LocalTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func theOpeningIsThreeBurstsBackToBackThenTenASecondForTenSecondsAndThenTwo() {
        var schedule = ProbeSchedule(startingAt: at(0))
        var sent: [(ticket: ProbeID, at: LocalTime)] = []
        var now = at(0)
        while now < at(13_000) {
            now = max(now, schedule.nextInstant)
            guard let ticket = schedule.next(at: now) else { continue }
            sent.append((ticket, now))
            now = now + .milliseconds(4)
            schedule.returned(ticket, at: now)
        }
        let burst: [UInt8] = [0, 1, 2, 3, 4]
        #expect(sent.prefix(16).map(\.ticket.position) == burst + burst + burst + [0])
        #expect(sent[14].at == at(56))
        let starts = sent.filter { $0.ticket.position == 0 }.map(\.at)
        #expect(starts.prefix(4) == [at(0), at(20), at(40), at(140)])
        for (start, next) in zip(starts.dropFirst(3), starts.dropFirst(4)) {
            #expect(next - start == .milliseconds(start + .milliseconds(20) < at(10_000) ? 100 : 500))
        }
        #expect(starts.last.map { $0 > at(12_000) } == true)
    }

    @Test func aLostProbeIsGivenUpAndTheBurstGoesOn() {
        var schedule = ProbeSchedule(startingAt: at(0))
        let first = schedule.next(at: at(0))
        #expect(schedule.next(at: at(49)) == nil)
        let second = schedule.next(at: at(50))
        #expect(second == ProbeID(burst: 0, position: 1))
        // The late reply to the first does not let the third go out while the second is under way.
        if let first { schedule.returned(first, at: at(60)) }
        #expect(schedule.next(at: at(60)) == nil)
        if let second { schedule.returned(second, at: at(61)) }
        #expect(schedule.next(at: at(61)) == ProbeID(burst: 0, position: 2))
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
        var last: ProbeID?
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
        let ticket = ProbeID(burst: 1_234_567, position: 4)
        #expect(ProbeID(sequence: ticket.sequence) == ticket)
        #expect(ProbeID(sequence: .max).sequence == .max)
    }
}

@Suite struct RigClockEstimateTests {
    @Test func framePathsMayAskWhileProbesArrive() async {
        let estimate = RigClockEstimate(clock: ManualTimeSource())
        #expect(estimate.clockID == nil && estimate.rigTime(at: .init(nanoseconds: 0)) == nil)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for index in 0..<2000 {
                    let local = LocalTime(nanoseconds: Int64(index) * 1_000_000)
                    let rig = RigTime(nanoseconds: local.nanoseconds + 1_000_500)
                    let probe = ClockProbe(sent: local, received: rig, replied: rig, returned: local + .microseconds(1))
                    estimate.add(
                        probe, ticket: .init(burst: UInt64(index / 5), position: UInt8(index % 5)),
                        clock: .init(rawValue: "a"))
                }
            }
            for _ in 0..<3 {
                group.addTask {
                    for index in 0..<2000 {
                        let local = LocalTime(nanoseconds: Int64(index) * 1_000_000)
                        guard let rig = estimate.rigTime(at: local) else { continue }
                        #expect((rig.time - RigTime(nanoseconds: local.nanoseconds + 1_000_000)).magnitude <= rig.bound)
                    }
                }
            }
        }
        #expect(estimate.snapshot.counters.accepted == 1600)
        estimate.restart()
        #expect(estimate.localTime(at: .init(nanoseconds: 0)) == nil)
    }

    private func probe(at local: LocalTime, ahead offset: Duration) -> ClockProbe {
        let rig = RigTime(nanoseconds: local.nanoseconds) + offset
        return ClockProbe(sent: local, received: rig, replied: rig, returned: local + .microseconds(100))
    }

    @Test("Tells how this machine's clock is kept in step, as it was last read")
    func discipline() {
        let clock = ManualTimeSource()
        let estimate = RigClockEstimate(clock: clock)
        #expect(estimate.discipline == nil)
        let reading = DisciplinedClock(
            reference: ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab"), bound: .microseconds(2),
            pair: clock.wallClockPair())
        estimate.note(reading)
        #expect(estimate.discipline == reading)
        estimate.note(nil)
        #expect(estimate.discipline == nil)
    }

    @Test("Forgets after a sleep how this machine's clock was kept in step before")
    func disciplineOfBefore() {
        let clock = ManualTimeSource()
        let estimate = RigClockEstimate(clock: clock)
        let reference = ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab")
        estimate.note(DisciplinedClock(reference: reference, bound: .microseconds(2), pair: clock.wallClockPair()))
        clock.suspendMachine(for: .seconds(30))
        #expect(estimate.discipline == nil, "the very first question")
        estimate.restart()
        #expect(estimate.discipline == nil)
        let reading = DisciplinedClock(reference: reference, bound: .microseconds(2), pair: clock.wallClockPair())
        estimate.note(reading)
        #expect(estimate.discipline == reading)
    }

    @Test("Forgets rig times and probes from before a suspension")
    func sleep() {
        let clock = ManualTimeSource()
        let estimate = RigClockEstimate(clock: clock)
        let (ticket, id) = (ProbeID(burst: 0, position: 1), RigClockID(rawValue: "a"))
        estimate.add(probe(at: clock.now(), ahead: .seconds(5)), ticket: ticket, clock: id)
        #expect(estimate.clockID == id)
        let underWay = probe(at: clock.now(), ahead: .seconds(5))
        clock.advance(by: .seconds(1))
        clock.suspendMachine(for: .seconds(30))
        #expect(estimate.rigTime(at: clock.now()) == nil, "the very first question")
        #expect(estimate.isHeld)
        estimate.add(probe(at: clock.now(), ahead: .seconds(35)), ticket: ticket, clock: id)
        #expect(estimate.rigTime(at: clock.now()) == nil, "nobody has let go of the frames of before yet")
        estimate.restart()
        estimate.add(underWay, ticket: ticket, clock: id)
        #expect(estimate.rigTime(at: clock.now()) == nil)
        estimate.add(probe(at: clock.now(), ahead: .seconds(35)), ticket: ticket, clock: id)
        let offset = estimate.rigTime(at: clock.now()).map { $0.time.nanoseconds - clock.now().nanoseconds }
        #expect(offset == Duration.seconds(35).nanoseconds - 50_000)
        #expect(estimate.snapshot.counters.suspensions == 1 && estimate.snapshot.counters.inconsistencies == 0)
        #expect(estimate.snapshot.counters.rejected == 2)
    }
}
