import CaptureModel
import CaptureTestSupport
import Logging
import RigConfiguration
import RigProtocol
import RigWire
import SystemClock
import Testing
import VirtualDevices
import ZeroMQ

@testable import AgentChannels

@Suite(.timeLimit(.minutes(10))) struct AgentTests {
    private let folder: TemporaryFolder
    private let context: ZeroMQContext
    private let shot: ShotID

    init() throws {
        folder = try TemporaryFolder()
        context = try ZeroMQContext()
        var generator = SeededGenerator(seed: 9)
        shot = ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator)
    }

    /// Runs an agent of one small virtual camera for as long as `body` takes.
    private func run(
        _ endpoint: String, faults: [VirtualFault] = [], discipline: (any ClockDiscipline)? = nil,
        logging logger: Logger? = nil, _ body: () async throws -> Void
    ) async throws {
        var camera = VirtualCameraConfiguration()
        (camera.width, camera.height) = (160, 120)
        // So slow that a busy machine does not make a frame look old.
        camera.framesPerSecond = 4
        camera.faults = faults
        var configuration = AgentConfiguration(
            node: try NodeName("north"), coordinator: try #require(TCPEndpoint(endpoint)),
            devices: [DeviceConfiguration(name: try DeviceName("cam"), purpose: "test", source: .virtual(camera))])
        configuration.spool.folder = folder.path + "/spool"
        configuration.spool.reserve = .mebibytes(0)
        var log = Logger(label: "test")
        log.logLevel = .critical
        let agent = try Agent(
            configuration: configuration, backends: [VirtualBackend()], discipline: discipline,
            clock: SystemTimeSource(), log: logger ?? log)
        let running = Task { try await agent.run() }
        do {
            _ = try await agent.waitUntilStarted()
            try await body()
        } catch {
            running.cancel()
            _ = await running.result
            throw error
        }
        running.cancel()
        _ = await running.result
    }

    private func prepare(_ coordinator: FakeCoordinator) async -> WireCoordinatorMessage.OneOf_Body {
        // Once a heartbeat tells a bound, the node knows the time of the rig.
        _ = await coordinator.message { $0.heartbeat.hasClockBoundNs && !$0.heartbeat.devices.isEmpty }
        var prepare = WirePrepare()
        prepare.shotID = shot.wire
        prepare.devices = ["cam"]
        prepare.rigClockID = "rig-1"
        let time = RigTime(nanoseconds: SystemTimeSource().now().nanoseconds) + .milliseconds(80)
        prepare.rigTimeNs = time.nanoseconds
        prepare.pinnedUntilRigNs = (time + .seconds(5)).nanoseconds
        prepare.settings = PhotoSettings().wire
        return .prepare(prepare)
    }

    private var fire: WireCoordinatorMessage.OneOf_Body {
        var fire = WireFire()
        fire.shotID = shot.wire
        fire.devices = ["cam"]
        return .fire(fire)
    }

    @Test("Reports what PTP says of both clocks if the probes exclude it")
    func clockConflict() async throws {
        let coordinator = try await FakeCoordinator(context, lead: -3_600_000_000_000)
        let discipline = ToldDiscipline {
            let now = SystemTimeSource().now()
            return DisciplinedClock(
                reference: ClockReference(source: .ptp, identity: "7acc9b.fffe.1234ab"), bound: .microseconds(5),
                pair: WallClockPair(monotonic: now, realtimeNanoseconds: now.nanoseconds))
        }
        try await run(coordinator.endpoint, discipline: discipline) {
            let heartbeat = try #require(await coordinator.message { $0.heartbeat.clock.hasConflict }).heartbeat
            #expect(heartbeat.clock.source == "probes")
            #expect(heartbeat.clock.conflict.claimedOffsetNs == 3_600_000_000_000)
            #expect(heartbeat.clock.conflict.provenOffsetNs.magnitude < 1_000_000_000)
        }
        await coordinator.stop()
    }

    @Test("Learns rig time from a reply whose statement about the coordinator's clock is malformed")
    func malformedStatement() async throws {
        let coordinator = try await FakeCoordinator(context, lead: 0, grandmaster: "no identity")
        try await run(coordinator.endpoint) {
            let heartbeat = try #require(await coordinator.message { $0.heartbeat.hasClockBoundNs }).heartbeat
            #expect(!heartbeat.clock.hasConflict && !heartbeat.clock.hasNarrowedBy)
        }
        await coordinator.stop()
    }

    @Test("Joins, and answers prepare and fire")
    func wholeShot() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator.endpoint) {
            let hello = await coordinator.message { !$0.hello.devices.isEmpty }?.hello
            #expect(hello?.devices.map(\.device.id.device) == ["cam"])
            #expect(hello?.inventory.isEmpty == true)
            await coordinator.send(await prepare(coordinator))
            let armed = try #require(await coordinator.message { $0.body?.isPrepareResult == true }).prepareResult
            guard case .armed? = armed.outcome else {
                Issue.record("refused: \(armed)")
                return
            }
            await coordinator.send(fire)
            let wire = try #require(await coordinator.message { $0.body?.isCaptured == true }).captured
            let report = try CaptureReport(wire: wire)
            #expect(report.key.shot == shot)
            #expect(report.timing.skewNanoseconds.magnitude <= 250_000_000)
            await coordinator.send(fire)
            await coordinator.heard.wait { $0.messages.count { $0.body?.isCaptured == true } == 2 }
            let reports = coordinator.heard.value.messages.filter { $0.body?.isCaptured == true }.map(\.captured)
            #expect(reports[0] == reports[1], "the same answer again")
            let events = await coordinator.message { message in
                message.events.events.contains { $0.event.name == "capture.didFinishCapture" }
            }
            #expect(events != nil)
        }
        await coordinator.stop()
    }

    @Test("Lists the devices as they are when an answer is sent")
    func answerListsDevices() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator.endpoint) {
            _ = await coordinator.message { $0.heartbeat.sequence > 0 }
            var order = WireDeviceOrder()
            order.request.device = try DeviceID("north/cam").wire
            for (number, command) in [WireDeviceRequest.OneOf_Command.stopSession(.init()), .startSession(.init())]
                .enumerated()
            {
                order.requestID = UInt64(number)
                order.request.command = command
                await coordinator.send(.deviceOrder(order))
                let answer = await coordinator.message {
                    guard case .deviceAnswer(let answer)? = $0.body else { return false }
                    return answer.requestID == UInt64(number)
                }?.deviceAnswer
                #expect(answer?.devices.map(\.condition.state) == [number == 0 ? "stopped" : "running"])
            }
            // The answer to the stop is lost, and asked for again: it tells how the camera stands since.
            order.requestID = 0
            await coordinator.send(.deviceOrder(order))
            await coordinator.heard.wait { $0.messages.count { $0.deviceAnswer.hasRepeated } == 2 }
            let repeated = coordinator.heard.value.messages.last { $0.deviceAnswer.hasRepeated }?.deviceAnswer
            #expect(repeated?.devices.map(\.condition.state) == ["running"])
        }
        await coordinator.stop()
    }

    @Test(
        "The log says that a camera is absent and has recovered, and that the coordinator is unreachable"
    )
    func log() async throws {
        let captured = CapturedLog()
        let endpoint = "tcp://127.0.0.1:1"
        let fault = VirtualFault(.unplugged, afterSeconds: 0.5, forSeconds: 0.5)
        try await run(endpoint, faults: [fault], logging: captured.logger) {
            let absent = await captured.line("a camera is absent")
            #expect(absent?.level == .warning && absent?.metadata["camera.id"] == "north/cam")
            #expect(absent?.metadata["reason"] != nil)
            let recovered = await captured.line("a camera has recovered")
            #expect(recovered?.metadata["camera.before"] == "absent")
            let unreachable = await captured.line("the coordinator is unreachable; the agent keeps trying to join")
            #expect(unreachable?.level == .warning && unreachable?.metadata["coordinator.endpoint"] == "\(endpoint)")
        }
    }

    @Test("Joins a restarted coordinator, and delivers its pictures")
    func coordinatorRestarted() async throws {
        let first = try await FakeCoordinator(context)
        try await run(first.endpoint) {
            await first.send(await prepare(first))
            _ = await first.message { $0.body?.isPrepareResult == true }
            await first.send(fire)
            _ = await first.message { $0.body?.isCaptured == true }
            await first.stop()
            let second = try await FakeCoordinator(context, at: first.endpoint)
            let restart = second.epoch.rawValue
            await second.heard.wait { $0.peer != nil }
            await second.send(.helloRequired(WireHelloRequired()))
            let hello = await second.message { !$0.hello.inventory.isEmpty }?.hello
            #expect(try hello?.inventory.map { try CaptureReport(wire: $0).key.shot } == [shot])
            _ = await second.message { $0.heartbeat.sequence > 0 && $0.coordinatorEpoch == restart }
            // What happened before the agent knew of the restart may come first.
            let events = await second.message { $0.events.events.first?.sequence == 1 }
            #expect(events != nil, "unacknowledged events come again")
            await second.heard.wait { $0.probes > 0 }
            await second.stop()
        }
    }

    @Test("Ignores garbage and messages for earlier epochs")
    func oldEpochs() async throws {
        let coordinator = try await FakeCoordinator(context)
        try await run(coordinator.endpoint) {
            let order = await prepare(coordinator)
            await coordinator.sendGarbage()
            await coordinator.send(order, from: Epoch.random().rawValue)
            await coordinator.send(order, to: Epoch.random().rawValue)
            await coordinator.send(fire, from: Epoch.random().rawValue)
            var cancel = WireCancel()
            cancel.shotID = shot.wire
            cancel.devices = ["../cam"]
            await coordinator.send(.cancel(cancel))
            await coordinator.send(order)
            _ = await coordinator.message { $0.body?.isPrepareResult == true }
            let messages = coordinator.heard.value.messages
            #expect(messages.count { $0.body?.isPrepareResult == true } == 1, "only the true one is answered")
            #expect(!messages.contains { $0.body?.isMissed == true || $0.body?.isCaptured == true })
        }
        await coordinator.stop()
    }
}

extension WireAgentMessage.OneOf_Body {
    var isPrepareResult: Bool { if case .prepareResult = self { true } else { false } }
    var isCaptured: Bool { if case .captured = self { true } else { false } }
    fileprivate var isMissed: Bool { if case .missed = self { true } else { false } }
}

extension WireDeviceAnswer {
    /// Whether it answers the request with number 0.
    fileprivate var hasRepeated: Bool {
        guard requestID == 0, case .session? = reply.result else { return false }
        return true
    }
}
