import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Journal
import Logging
import PosixSupport
import Spool
import SystemClock
import Testing
import VirtualDevices

@testable import NodeCore

/// A node of one camera on the machine's own clock, with a kernel whose words the test writes.
private final class HealthBench: Sendable {
    let health = NodeHealth()
    let events: NodeEvents
    let session: CaptureSession
    let spool: Spool
    /// Moves only what watches the machine.
    let clock = ManualTimeSource()
    let log: Logger
    let states = Observed<[DeviceCondition]>([])
    private let folder: TemporaryFolder
    private let serving: Task<Void, Never>

    init(spoolFolder: String? = nil, reserve: Int64 = 0) async throws {
        folder = try TemporaryFolder()
        spool = try Spool(
            folder: spoolFolder ?? folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: reserve,
            executor: ThreadExecutor(name: "spool"))
        let journal = try EventJournal(
            folder: folder.path + "/events", epoch: Epoch.random(), executor: try ThreadExecutor(name: "events"))
        var log = Logger(label: "test")
        log.logLevel = .critical
        self.log = log
        events = NodeEvents(journal: journal, clock: clock, rigClock: FixedRigClock(), log: log)
        var camera = VirtualCameraConfiguration()
        (camera.width, camera.height, camera.framesPerSecond) = (160, 120, 20)
        let device = CaptureDevice(
            description: DeviceDescription(id: try DeviceID("north/cam"), driver: "virtual"),
            camera: VirtualCamera(name: "cam", configuration: camera))
        let services = SessionServices(
            clock: SystemTimeSource(), rigClock: FixedRigClock(), spool: spool,
            executor: try ThreadExecutor(name: "cam")
        ) { [states] event in
            if case .conditionChanged(_, let condition) = event { states.change { $0.append(condition) } }
        }
        session = try CaptureSession(
            SessionConfiguration(input: CaptureDeviceInput(device: device)), services: services)
        serving = Task { [session] in await session.run() }
        await states.wait { $0.last?.state == .running }
    }

    /// Lets `watch` run for as long as `body` takes.
    func watching(_ watch: @escaping @Sendable () async -> Void, _ body: () async throws -> Void) async throws {
        let task = Task { await watch() }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        task.cancel()
        await task.value
        serving.cancel()
        await serving.value
        try result.get()
    }

    /// Writes what the kernel says of memory.
    func write(full: Int) throws {
        try folder.write("some avg10=99.00 total=1\nfull avg10=\(full).00 total=1\n", to: "memory")
    }

    var source: PressureReading.Source { .init(stalls: folder.path, zones: folder.path) }

    /// Names of the events so far that `body` is interested in.
    func told() async -> [RigEvent] {
        await events.nextBatch()?.events.map(\.event) ?? []
    }
}

@Suite(.timeLimit(.minutes(10))) struct PressureWatchTests {
    @Test("Suspends cameras on an overloaded machine, resumes them, and reports both")
    func pressure() async throws {
        let bench = try await HealthBench()
        try bench.write(full: 80)
        let watch = PressureWatch(
            source: bench.source, thresholds: PressureThresholds(), health: bench.health, sessions: [bench.session],
            events: bench.events, clock: bench.clock, executor: try ThreadExecutor(name: "pressure"), log: bench.log)
        try await bench.watching({ await watch.run() }) {
            await bench.states.wait { $0.last?.session?.interruption == .systemPressure }
            let condition = try #require(bench.states.value.last)
            #expect(condition.state == .stopped && condition.reason?.contains("80 %") == true)
            await bench.clock.sleepers(atLeast: 1)
            #expect(bench.health.now.pressure?.level == .shutdown)
            #expect(bench.health.now.pressure?.factors == [.memory])
            let refusal = await bench.session.startRunning()
            #expect(refusal?.message.contains("overloaded") == true)
            try bench.write(full: 0)
            for _ in 0..<6 { await bench.clock.step() }
            await bench.states.wait { $0.last?.state == .running }
            await bench.clock.sleepers(atLeast: 1)
            let told = await bench.told()
            #expect(told.map(\.name) == [.nodePressure, .nodePressure])
            #expect(told.map { $0.details["level"] } == ["shutdown", "nominal"])
        }
    }

    @Test("Reports an unknown pressure as unknown")
    func silentMachine() async throws {
        let bench = try await HealthBench()
        let watch = PressureWatch(
            source: bench.source, thresholds: PressureThresholds(), health: bench.health, sessions: [bench.session],
            events: bench.events, clock: bench.clock, executor: try ThreadExecutor(name: "pressure"), log: bench.log)
        try await bench.watching({}) {
            // It returns, since there is nothing to watch.
            await watch.run()
            #expect(bench.health.now.pressure == nil)
            #expect(PressureReading().gap?.contains("/proc/pressure") == true)
        }
    }

    @Test(
        "That a spool's disk is nearly full is found out by a trigger that is refused",
        .enabled(if: SmallDisk.isAvailable || SmallDisk.isRequired, "needs the right to mount a small file system"))
    func nearlyFull() async throws {
        let disk = try SmallDisk(kilobytes: 1024)
        let bench = try await HealthBench(spoolFolder: disk.path + "/spool", reserve: 256 << 10)
        let watch = SpoolWatch(
            spool: bench.spool, sessions: [bench.session], health: bench.health, events: bench.events,
            clock: bench.clock, log: bench.log)
        try await bench.watching({ await watch.run() }) {
            await bench.clock.sleepers(atLeast: 1)
            #expect(bench.health.now.spoolShortage == nil)
            #expect(await bench.session.abilities.photo.isAllowed)
            // What is left is not more than the reserve and half a photo.
            let left = (256 << 10) + 32_768
            try disk.fill(leaving: left)
            await bench.clock.step()
            await bench.clock.sleepers(atLeast: 1)
            let shortage = try #require(bench.health.now.spoolShortage)
            #expect(shortage.contains("spool.reserve"))
            let ability = await bench.session.abilities.photo
            #expect(!ability.isAllowed && ability.reason?.contains("spool.reserve") == true)
            #expect(await bench.session.condition.state == .running, "the camera goes on")
            try disk.free()
            await bench.clock.step()
            await bench.clock.sleepers(atLeast: 1)
            #expect(bench.health.now.spoolShortage == nil)
            #expect(await bench.session.abilities.photo.isAllowed)
            #expect(await bench.told().map(\.name) == [.spoolNearlyFull, .spoolHasRoom])
        }
    }
}

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

    @Test("Suspends and resumes cameras around the limit without alternating")
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
