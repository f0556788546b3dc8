import CameraKit
import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import Journal
import Logging
import PosixSupport
import Spool
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

@Suite(.timeLimit(.minutes(1))) struct PressureWatchTests {
    @Test("A camera goes on on a machine that thrashes, or does not come back, or nobody is told")
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

    @Test("A machine that tells nothing of itself passes for one at ease")
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
