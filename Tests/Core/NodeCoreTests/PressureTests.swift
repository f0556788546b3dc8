import CaptureEngine
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing

@testable import NodeCore

@Suite struct PressureTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    @Test(
        "An overloaded machine passes for one at ease, or one at ease has its cameras closed",
        arguments: [
            (PressureReading(), SystemPressure.Level.nominal, [SystemPressure.Factor]()),
            (PressureReading(cpu: .init(some: 39.9, full: 0)), .nominal, []),
            (PressureReading(cpu: .init(some: 40)), .fair, [.cpu]),
            (PressureReading(cpu: .init(some: 100)), .critical, [.cpu]),
            // Some task always waits for memory where all of the page cache is in use.
            (PressureReading(memory: .init(some: 90, full: 4)), .nominal, []),
            (PressureReading(memory: .init(some: 90, full: 50)), .shutdown, [.memory]),
            (PressureReading(cpu: .init(some: 95), memory: .init(some: 40, full: 31)), .critical, [.cpu, .memory]),
            (PressureReading(io: .init(some: 100, full: 100)), .critical, [.io]),
        ])
    func stalls(_ reading: PressureReading, _ level: SystemPressure.Level, _ factors: [SystemPressure.Factor]) {
        let pressure = reading.pressure(by: PressureThresholds())
        #expect(pressure.level == level && pressure.factors == factors)
        #expect((pressure.reason == nil) == (level == .nominal))
    }

    @Test(
        "A machine that is about to turn itself off for heat keeps its cameras on, or a fan that runs closes them",
        arguments: [
            (49, SystemPressure.Level.nominal), (76, .fair), (81, .serious), (96, .critical), (104, .critical),
            (105, .shutdown), (120, .shutdown),
        ])
    func heat(_ degrees: Int, _ level: SystemPressure.Level) {
        let zone = ThermalZone(
            type: "soc", millidegrees: degrees * 1000,
            tripPoints: [
                .init(.active, 40_000), .init(.passive, 80_000), .init(.hot, 95_000), .init(.critical, 110_000),
            ])
        let pressure = PressureReading(zones: [zone]).pressure(by: PressureThresholds())
        #expect(pressure.level == level)
        #expect(pressure.factors == (level == .nominal ? [] : [.temperature]))
    }

    @Test("Cameras are closed and opened in turns while a machine is at its limit, or stay closed after it")
    func gauge() {
        var gauge = PressureGauge(calm: .seconds(10))
        var now = start
        func take(_ level: SystemPressure.Level, after seconds: Int = 2) -> PressureGauge.Change {
            now = now + .seconds(seconds)
            return gauge.update(SystemPressure(level: level), at: now)
        }
        #expect(take(.nominal) == [])
        #expect(take(.shutdown) == [.level, .interruption])
        // Without cameras the load is gone at once.
        for _ in 0..<5 { #expect(take(.nominal) == []) }
        #expect(take(.critical) == .level, "the highest of the calm time, and not the last")
        #expect(gauge.pressure.level == .critical && gauge.isInterrupting)
        #expect(take(.shutdown) == .level, "it is interrupted already")
        #expect(take(.fair) == [])
        #expect(take(.fair, after: 10) == [.level, .interruption])
        #expect(gauge.pressure.level == .fair && !gauge.isInterrupting)
        #expect(take(.critical) == .level)
        #expect(take(.serious) == [])
        #expect(take(.nominal, after: 11) == .level)
        #expect(gauge.pressure.level == .serious)
        #expect(take(.nominal, after: 10) == .level)
        #expect(gauge.pressure.level == .nominal)
    }
}
