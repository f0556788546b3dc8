import CaptureEngine
import CaptureModel
import CaptureTestSupport
import ControlMessages
import PosixSupport
import Spool
import Testing
import VirtualDevices

@testable import NodeCore

/// A node of two virtual cameras, on a clock that waits for their threads.
private final class NodeBench: Sendable {
    let name: NodeName
    let node: CaptureNode
    let spool: Spool
    let sessions: [CaptureSession]
    private let clock = PacedTimeSource()
    private let running: Task<Void, Never>

    init(folder: TemporaryFolder) async throws {
        name = try NodeName("north")
        spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        let (ran, isRunning) = AsyncStream.makeStream(of: Void.self)
        var sessions: [CaptureSession] = []
        for number in UInt16(1)...2 {
            var configuration = VirtualCameraConfiguration()
            (configuration.width, configuration.height, configuration.number) = (160, 120, number)
            configuration.framesPerSecond = 4
            sessions.append(
                try CaptureSession(
                    SessionConfiguration(
                        input: CaptureDeviceInput(
                            device: CaptureDevice(
                                description: DeviceDescription(
                                    id: DeviceID(node: name, device: try DeviceName("cam\(number)")),
                                    driver: "virtual"),
                                camera: VirtualCamera(name: "cam\(number)", configuration: configuration)))),
                    services: SessionServices(
                        clock: clock, rigClock: FixedRigClock(), spool: spool,
                        executor: try ThreadExecutor(name: "cam\(number)")
                    ) { event in
                        if case .conditionChanged(_, let condition) = event, condition.isUsable { isRunning.yield() }
                    }))
        }
        self.sessions = sessions
        node = CaptureNode(name: name, sessions: sessions, spool: spool, rigClock: FixedRigClock())
        running = Task { [sessions, clock, spool] in
            await withDiscardingTaskGroup { group in
                for session in sessions { group.addTask { await session.run() } }
                group.addTask {
                    await clock.run {
                        for session in sessions { _ = await session.condition }
                        _ = await spool.usage()
                    }
                }
            }
        }
        var waiting = ran.makeAsyncIterator()
        for _ in sessions { await waiting.next() }
    }

    func end() async {
        running.cancel()
        await running.value
    }

    /// The present, on the rig's time line.
    var now: RigTime { RigTime(nanoseconds: clock.now().nanoseconds) }

    func device(_ name: String) throws -> DeviceID { DeviceID(node: self.name, device: try DeviceName(name)) }

    func key(_ shot: ShotID, _ name: String) throws -> CaptureKey {
        CaptureKey(shot: shot, device: try device(name))
    }

    /// Arms every device of an order, one after the other.
    func prepare(_ order: PrepareOrder) async -> [Result<ResolvedPhotoSettings, RigProblem>] {
        var answers: [Result<ResolvedPhotoSettings, RigProblem>] = []
        for device in order.devices { answers.append(await node.prepare(order, device)) }
        return answers
    }

    /// A prepare of the instant `ahead` from the present.
    func prepare(_ shot: ShotID, _ devices: [String], ahead: Duration) throws -> PrepareOrder {
        let time = RigTime(nanoseconds: clock.now().nanoseconds) + ahead
        return PrepareOrder(
            shot: shot, devices: try devices.map(device), time: time, rigClock: FixedRigClock.id,
            pinnedUntil: time + .seconds(10), settings: PhotoSettings(), realtimeAtTime: 0, utcOffsetMinutes: 0)
    }
}

@Suite(.timeLimit(.minutes(10))) struct CaptureNodeTests {
    private let folder: TemporaryFolder
    private let shot: ShotID

    init() throws {
        folder = try TemporaryFolder()
        var generator = SeededGenerator(seed: 5)
        shot = ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator)
    }

    private func capture(_ bench: NodeBench, _ devices: [String] = ["cam1"]) async throws -> CaptureResult? {
        let answers = await bench.prepare(try bench.prepare(shot, devices, ahead: .milliseconds(60)))
        #expect(answers.count == devices.count)
        for answer in answers {
            guard case .success = answer else {
                Issue.record("refused: \(answer)")
                return nil
            }
        }
        return await bench.node.fire(try bench.key(shot, "cam1"))
    }

    @Test("Answers a repeated fire with the first result")
    func fireAgain() async throws {
        let bench = try await NodeBench(folder: folder)
        let first = try await capture(bench)
        guard case .captured = first else {
            Issue.record("\(String(describing: first))")
            return
        }
        #expect(await bench.node.fire(try bench.key(shot, "cam1")) == first)
        #expect(await bench.spool.inventory().count == 1)
        let again = await bench.prepare(try bench.prepare(shot, ["cam1"], ahead: .milliseconds(60)))
        guard case .success? = again.first else {
            Issue.record("a repeated prepare of a capture that is made is refused")
            return
        }
        #expect(await bench.node.fire(try bench.key(shot, "cam1")) == first)
        await bench.end()
    }

    @Test("Reports a capture of an earlier epoch as taken")
    func fireAfterRestart() async throws {
        let first: CaptureResult?
        do {
            let bench = try await NodeBench(folder: folder)
            first = try await capture(bench)
            await bench.end()
        }
        let bench = try await NodeBench(folder: folder)
        #expect(await bench.node.fire(try bench.key(shot, "cam1")) == first)
        await bench.end()
    }

    @Test("Chooses one frame for two simultaneous fires")
    func concurrentFires() async throws {
        let bench = try await NodeBench(folder: folder)
        _ = await bench.prepare(try bench.prepare(shot, ["cam1"], ahead: .milliseconds(100)))
        let key = try bench.key(shot, "cam1")
        let results = await withTaskGroup(of: CaptureResult?.self) { group in
            for _ in 0..<4 { group.addTask { await bench.node.fire(key) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.compactMap(\.self).count == 1, "one of them tells")
        #expect(await bench.spool.inventory().count == 1)
        await bench.end()
    }

    @Test("Gives a camera settings at an instant, while another request of it and a shot are carried out")
    func settings() async throws {
        let bench = try await NodeBench(folder: folder)
        var generator = SeededGenerator(seed: 6)
        let id = SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator)
        @Sendable func ask(_ command: DeviceCommand) async throws -> DeviceReply {
            try await bench.node.carryOut(DeviceRequest(device: try DeviceID("north/cam1"), command: command)).get()
        }
        let wanted = try CaptureSettings(parsing: "exposure=4ms gain=6dB")
        guard case .settings(.prepared(let preparation)) = try await ask(.settings(id, .prepare(wanted))) else {
            Issue.record("not prepared")
            return
        }
        #expect(!preparation.isRefused && preparation.outcomes.count == 2)
        let time = bench.now + .milliseconds(1500)
        let committing = Task { try await ask(.settings(id, .commit(at: time))) }
        let fired = try await capture(bench)
        #expect(bench.now < time, "the shot has waited for the settings")
        guard case .captured = fired, case .details = try await ask(.describe) else {
            Issue.record("\(String(describing: fired))")
            return
        }
        await #expect(throws: RigProblem.self) { _ = try await ask(.setControls(["gain": 1])) }
        guard case .settings(.applied(let effect)) = try await committing.value else {
            Issue.record("not applied")
            return
        }
        #expect(effect.change.evidence == .metadata && effect.change.firstNew != nil)
        #expect(effect.accepted.time <= time + .seconds(1))
        guard case .settings(.undone) = try await ask(.settings(id, .undo)) else {
            Issue.record("not undone")
            return
        }
        await bench.end()
    }

    @Test("Answers for a device that the node does not have")
    func unknownDevice() async throws {
        let bench = try await NodeBench(folder: folder)
        let answers = await bench.prepare(try bench.prepare(shot, ["nothere", "cam2"], ahead: .milliseconds(60)))
        #expect(answers.count == 2)
        guard case .failure(let problem)? = answers.first, case .success? = answers.last else {
            Issue.record("\(answers)")
            return
        }
        #expect(problem.code == .unknownDevice)
        guard case .missed(_, let missed) = await bench.node.fire(try bench.key(shot, "nothere")) else {
            Issue.record("captured by a device that is not there")
            return
        }
        #expect(missed.code == .unknownDevice)
        await bench.end()
    }

    @Test("Answers a repeated fire with the miss that was reported")
    func missAgain() async throws {
        let bench = try await NodeBench(folder: folder)
        let first = await bench.node.fire(try bench.key(shot, "cam1"))
        guard case .missed(_, let problem) = first else {
            Issue.record("captured without frames")
            return
        }
        #expect(problem.code == .expired)
        #expect(await bench.node.fire(try bench.key(shot, "cam1")) == first)
        await bench.end()
    }

    @Test("Unpins the frames of a cancelled shot")
    func cancel() async throws {
        let bench = try await NodeBench(folder: folder)
        _ = await bench.prepare(try bench.prepare(shot, ["cam1", "cam2"], ahead: .seconds(2)))
        #expect(await bench.spool.usage().reservedBytes > 0)
        for device in ["cam1", "cam2", "nothere"] { await bench.node.cancel(try bench.key(shot, device)) }
        #expect(await bench.spool.usage().reservedBytes == 0)
        await bench.end()
    }

    private func ask(
        _ bench: NodeBench, _ device: String, _ command: DeviceCommand
    ) async throws -> Result<DeviceReply, RigProblem> {
        await bench.node.carryOut(DeviceRequest(device: try DeviceID(device), command: command))
    }

    private func details(_ bench: NodeBench, _ device: String) async throws -> DeviceDetails? {
        guard case .details(let details) = try await ask(bench, device, .describe).get() else { return nil }
        return details
    }

    @Test("Describes a camera's controls as they are, and applies a set value")
    func controls() async throws {
        let bench = try await NodeBench(folder: folder)
        let values = ["gain": Int64(7), "exposure_time_absolute": 40]
        #expect(try await ask(bench, "north/cam1", .setControls(values)).get() == .controls(values))
        for (device, gain) in [("north/cam1", Int64(7)), ("north/cam2", 0)] {
            let details = try #require(try await details(bench, device))
            #expect(details.authorization == .authorized && details.condition.state == .running)
            #expect(details.capabilities?.controls.first { $0.name == "gain" }?.value == gain)
            #expect(details.capabilities?.formats.first?.pixelFormat == .mjpeg)
        }
        await bench.end()
    }

    @Test("Names the refused control, and reports its old value")
    func refusedControl() async throws {
        let bench = try await NodeBench(folder: folder)
        guard case .failure(let problem) = try await ask(bench, "north/cam1", .setControls(["gain": 7, "focus": 1]))
        else {
            Issue.record("an unknown control was set")
            return
        }
        #expect(problem.code == .unsupportedSettings && problem.message.contains("'focus'"))
        await bench.sessions[0].stopRunning()
        guard case .failure(let stopped) = try await ask(bench, "north/cam1", .setControls(["gain": 7])) else {
            Issue.record("a control of a stopped camera was set")
            return
        }
        #expect(stopped.code == .notRunning)
        let details = try await details(bench, "north/cam1")
        #expect(
            details?.capabilities?.controls.first { $0.name == "gain" }?.value == 0, "a stopped camera is described")
        await bench.end()
    }
}
