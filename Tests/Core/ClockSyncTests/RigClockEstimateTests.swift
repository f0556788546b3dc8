import CaptureModel
import CaptureTestSupport
import ClockSync
import Testing

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

    @Test("After a sleep of the machine rig times are those of before, or a probe that was under way then counts")
    func sleep() {
        let clock = ManualTimeSource()
        let estimate = RigClockEstimate(clock: clock)
        let (ticket, id) = (ProbeTicket(burst: 0, position: 1), RigClockID(rawValue: "a"))
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
