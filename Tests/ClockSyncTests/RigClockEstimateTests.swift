import CaptureModel
import ClockSync
import Testing

@Suite struct RigClockEstimateTests {
    @Test func framePathsMayAskWhileProbesArrive() async {
        let estimate = RigClockEstimate()
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
        estimate.reset()
        #expect(estimate.localTime(at: .init(nanoseconds: 0)) == nil)
    }
}
