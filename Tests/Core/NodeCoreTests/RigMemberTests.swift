import CaptureEngine
import CaptureModel
import CaptureTestSupport
import ControlMessages
import Dispatch
import Journal
import Logging
import PosixSupport
import Spool
import Testing
import VirtualDevices

@testable import NodeCore

/// A node of one virtual camera, whose coordinator is the test. There is no socket.
@Suite(.timeLimit(.minutes(10))) struct RigMemberTests {
    private let folder: TemporaryFolder
    private let clock = PacedTimeSource()
    private let connection = RecordedConnection()
    private let coordinator = Epoch.random()
    private let spool: Spool
    private let device: DeviceID

    init() throws {
        folder = try TemporaryFolder()
        spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        device = try DeviceID("north/cam")
    }

    /// Runs the node, joined to the coordinator and its camera running, for as long as `body` takes.
    private func run(
        journalFault: FileFault? = nil, _ body: (RigMember) async throws -> Void
    ) async throws {
        let epoch = Epoch.random()
        var log = Logger(label: "test")
        log.logLevel = .critical
        let journal = try EventJournal(
            folder: folder.path + "/events", epoch: epoch, executor: try ThreadExecutor(name: "events"),
            fault: journalFault)
        let events = NodeEvents(journal: journal, clock: clock, rigClock: FixedRigClock(), log: log)
        let runs = Observed(false)
        let session = try makeSession(events, runs)
        let member = RigMember(
            identity: AgentIdentity(node: device.node, epoch: epoch, bootID: "boot", software: "test"),
            node: CaptureNode(name: device.node, sessions: [session], spool: spool, rigClock: FixedRigClock()),
            events: events, spool: spool, rigClock: FixedRigClock(), health: NodeHealth(), connection: connection,
            clock: clock, log: log, joined: { _ in }, admitted: { _ in })
        let running = Task { [clock, spool] in
            await withDiscardingTaskGroup { group in
                group.addTask {
                    await clock.run {
                        _ = await session.condition
                        _ = await spool.usage()
                    }
                }
                group.addTask { await session.run() }
                group.addTask { await events.run() }
                group.addTask { await member.run() }
            }
        }
        let outcome: Result<Void, any Error>
        do {
            _ = await connection.first(\.hello)
            await say(.welcome(Self.welcome), member)
            _ = await connection.first(\.heartbeat)
            await runs.wait { $0 }
            outcome = .success(try await body(member))
        } catch {
            outcome = .failure(error)
        }
        running.cancel()
        await running.value
        try outcome.get()
    }

    private func makeSession(_ events: NodeEvents, _ runs: Observed<Bool>) throws -> CaptureSession {
        var camera = VirtualCameraConfiguration()
        (camera.width, camera.height) = (160, 120)
        camera.framesPerSecond = 4
        let input = CaptureDeviceInput(
            device: CaptureDevice(
                description: DeviceDescription(id: device, driver: "virtual"),
                camera: VirtualCamera(name: "cam", configuration: camera)))
        let services = SessionServices(
            clock: clock, rigClock: FixedRigClock(), spool: spool, executor: try ThreadExecutor(name: "cam")
        ) { event in
            if case .conditionChanged(_, let condition) = event, condition.isUsable { runs.change { $0 = true } }
            events.record(event, of: event.device)
        }
        return try CaptureSession(SessionConfiguration(input: input), services: services)
    }

    private static let welcome = Welcome(
        rigClock: FixedRigClock.id, clockPort: 1, collectPort: 2, heartbeatInterval: .milliseconds(50),
        heartbeatTimeout: .seconds(30))

    /// Says something as the coordinator, or as another one.
    private func say(_ message: CoordinatorMessage, _ member: RigMember, as other: Epoch? = nil) async {
        await member.accept(message, MessageHeader(coordinator: other ?? coordinator, isForThisLife: true))
    }

    private func shot(_ number: UInt64) -> ShotID {
        var generator = SeededGenerator(seed: number)
        return ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator)
    }

    private func prepare(_ shot: ShotID, ahead: Duration = .milliseconds(80)) -> CoordinatorMessage {
        let time = RigTime(nanoseconds: clock.now().nanoseconds) + ahead
        let order = PrepareOrder(
            shot: shot, devices: [device], time: time, rigClock: FixedRigClock.id,
            pinnedUntil: time + .seconds(20), settings: PhotoSettings(), realtimeAtTime: 0, utcOffsetMinutes: 0)
        return .order(.prepare(order))
    }

    private func fire(_ shot: ShotID) -> CoordinatorMessage {
        .order(.fire(FireOrder(shot: shot, devices: [device])))
    }

    /// The answer to the prepare of a shot.
    private func prepared(_ shot: ShotID) async -> PrepareResult? {
        await connection.first { $0.prepareResult?.key.shot == shot ? $0.prepareResult : nil }
    }

    private func ask(
        _ member: RigMember, _ number: UInt64, _ request: DeviceRequest
    ) async -> DeviceAnswer? {
        let order = NumberedDeviceRequest(number: number, request: .success(request))
        await say(.order(.deviceRequest(order)), member)
        return await connection.first { $0.answer?.number == number ? $0.answer : nil }
    }

    @Test("Arms, fires and reports a shot, and answers a repeated fire with the same report")
    func wholeShot() async throws {
        try await run { member in
            await say(prepare(shot(1)), member)
            let armed = try #require(await prepared(shot(1)))
            #expect(armed.problem == nil && armed.key.device == device)
            await say(fire(shot(1)), member)
            let report = try #require(await connection.first(\.report))
            #expect(report.key == armed.key && report.files.map(\.kind) == [.photo])
            await say(fire(shot(1)), member)
            await connection.said.wait { $0.count { $0.report != nil } == 2 }
            #expect(connection.said.value.compactMap(\.report) == [report, report])
            let end = await connection.first { message in
                message.batch?.events.first { $0.event.name.rawValue == "capture.didFinishCapture" }
            }
            #expect(end?.event.shot == shot(1) && end?.event.details == [:])
            await say(.order(.listInventory(after: nil)), member)
            #expect(await connection.first(\.page)?.captures == [report])
        }
    }

    @Test("Frees frames and spool of a cancelled shot, and reports it missed when fired")
    func cancelled() async throws {
        try await run { member in
            await say(prepare(shot(1), ahead: .seconds(5)), member)
            _ = await prepared(shot(1))
            #expect(await spool.usage().reservedBytes > 0)
            await say(.order(.cancel(shot(1), [device])), member)
            await say(fire(shot(2)), member)
            // Behind the cancel.
            await say(prepare(shot(3), ahead: .seconds(5)), member)
            _ = await prepared(shot(3))
            await say(.order(.cancel(shot(3), [device])), member)
            await say(.order(.listInventory(after: nil)), member)
            _ = await connection.first(\.page)
            #expect(await spool.usage().reservedBytes == 0)
            let missed = await connection.first { message in
                if case .captureResult(.missed(let key, let problem)) = message { (key, problem) } else { nil }
            }
            #expect(missed?.0.shot == shot(2) && missed?.1.code == .expired)
        }
    }

    @Test("Arms, fires, reports and answers while the event journal's disk hangs")
    func hangingJournal() async throws {
        let (hanging, released) = (Observed(false), DispatchSemaphore(value: 0))
        let fault: FileFault = { step, _ in
            guard step == .write, !hanging.value else { return nil }
            hanging.change { $0 = true }
            released.wait()
            return nil
        }
        try await run(journalFault: fault) { member in
            // The first event of the camera, which runs.
            await hanging.wait { $0 }
            await say(.order(.acknowledgeEvents(EventPosition(epoch: .random(), sequence: 1))), member)
            await say(prepare(shot(1)), member)
            let armed = try #require(await prepared(shot(1)))
            #expect(armed.problem == nil)
            await say(fire(shot(1)), member)
            #expect(await connection.first(\.report)?.key.shot == shot(1))
            let answer = await ask(member, 1, DeviceRequest(device: device, command: .describe))
            #expect(answer?.devices.map(\.condition.state) == [.running])
            #expect(connection.count { $0.batch != nil } == 0, "nothing is told that would not survive")
            released.signal()
            let end = await connection.first { message in
                message.batch?.events.first { $0.event.name.rawValue == "capture.didFinishCapture" }
            }
            #expect(end?.event.shot == shot(1))
            let told = connection.said.value.compactMap(\.batch).flatMap(\.events).map(\.sequence)
            #expect(told == Array(1...UInt64(told.count)))
        }
    }

    @Test("Carries out a device request once, and lists the devices in its answer")
    func deviceRequest() async throws {
        try await run { member in
            let stop = DeviceRequest(device: device, command: .stopSession(force: false))
            let stopped = try #require(await ask(member, 1, stop))
            #expect(stopped.devices.map(\.condition.state) == [.stopped])
            let started = await ask(member, 2, DeviceRequest(device: device, command: .startSession))
            #expect(started?.devices.map(\.condition.state) == [.running])
            _ = await ask(member, 1, stop)
            await connection.said.wait { $0.count { $0.answer?.number == 1 } == 2 }
            let again = connection.said.value.compactMap(\.answer).last
            #expect(
                again?.devices.map(\.condition.state) == [.running], "a repeat stops nothing, and tells the present")
            guard case .success(.session(let result))? = again?.outcome else {
                Issue.record("\(String(describing: again))")
                return
            }
            #expect(result.condition.state == .stopped, "the answer is the first one's")
        }
    }

    @Test("Answers a spool request without devices, and refuses one for another node")
    func spoolRequest() async throws {
        try await run { member in
            let command = DeviceCommand.listSpool(after: nil, isDamaged: false)
            let listed = await ask(member, 1, DeviceRequest(.node(device.node), command: command))
            guard case .success(.spool(let listing))? = listed?.outcome else {
                Issue.record("\(String(describing: listed))")
                return
            }
            #expect(listing == SpoolListing(captures: [], hasMore: false) && listed?.devices.isEmpty == true)
            let other = await ask(member, 2, DeviceRequest(.node(try NodeName("south")), command: command))
            guard case .failure(let problem)? = other?.outcome else {
                Issue.record("\(String(describing: other))")
                return
            }
            #expect(problem.message.contains("south"))
        }
    }

    @Test("Drops and counts orders of a coordinator that it has not joined")
    func otherLives() async throws {
        try await run { member in
            await say(prepare(shot(1)), member, as: .random())
            await say(fire(shot(1)), member, as: .random())
            await member.accept(prepare(shot(1)), MessageHeader(coordinator: coordinator, isForThisLife: false))
            await member.accept(prepare(shot(1)), MessageHeader(coordinator: nil, isForThisLife: true))
            await say(prepare(shot(2)), member)
            _ = await prepared(shot(2))
            #expect(connection.said.value.compactMap(\.prepareResult).map(\.key.shot) == [shot(2)])
            #expect(connection.count { if case .captureResult = $0 { true } else { false } } == 0)
            #expect(await member.dropped.counts == [.oldEpoch: 4])
        }
    }

    @Test("Answers a request that comes right behind the welcome of another run of the coordinator")
    func requestBehindWelcome() async throws {
        try await run { member in
            let other = Epoch.random()
            await say(.welcome(Self.welcome), member, as: other)
            let answer = await ask(7, .startSession, member, as: other)
            guard case .success? = answer else {
                Issue.record("\(String(describing: answer))")
                return
            }
            #expect(await member.dropped.counts == [:])
        }
    }

    @Test("Says on which time line its instants are, in each hello and heartbeat")
    func timeLine() async throws {
        try await run { _ in
            #expect(await connection.first(\.hello)?.rigClock == FixedRigClock.id)
            #expect(await connection.first(\.heartbeat)?.rigClock == FixedRigClock.id)
        }
    }

    @Test("Refuses to arm during shutdown")
    func shuttingDown() async throws {
        try await run { member in
            await member.refuseShots()
            await say(prepare(shot(1)), member)
            #expect(await prepared(shot(1))?.problem?.code == .nodeUnreachable)
        }
    }

    /// Asks the node something about its camera as the coordinator, or as another one.
    private func ask(
        _ number: UInt64, _ command: DeviceCommand, _ member: RigMember, as other: Epoch? = nil
    ) async -> Result<DeviceReply, RigProblem>? {
        let request = DeviceRequest(device: device, command: command)
        let before = connection.count { $0.answer?.number == number }
        await say(
            .order(.deviceRequest(NumberedDeviceRequest(number: number, request: .success(request)))), member,
            as: other)
        await connection.said.wait { $0.count { $0.answer?.number == number } > before }
        return connection.said.value.compactMap(\.answer).last { $0.number == number }?.outcome
    }

    @Test("A coordinator that was restarted finds no camera kept for what the run before it had prepared")
    func preparedByEarlierRun() async throws {
        try await run { member in
            var generator = SeededGenerator(seed: 6)
            let first = SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator)
            let second = SettingsID(unixMilliseconds: 1_795_000_000_001, using: &generator)
            let settings = SettingsStep.prepare(try CaptureSettings(parsing: "gain=raw:3"))
            #expect(try await ask(1, .settings(first, settings), member)?.get() != nil)
            let refused = await ask(2, .settings(second, settings), member)
            #expect(throws: RigProblem.self) { try refused?.get() }
            let next = Epoch.random()
            // A welcome by the same run changes nothing.
            await say(.welcome(Self.welcome), member)
            let again = await ask(3, .settings(second, settings), member)
            #expect(throws: RigProblem.self) { try again?.get() }
            let joins = connection.count { $0.heartbeat != nil }
            await say(.welcome(Self.welcome), member, as: next)
            await connection.said.wait { $0.count { $0.heartbeat != nil } > joins }
            #expect(try await ask(1, .settings(second, settings), member, as: next)?.get() != nil)
        }
    }

    @Test("Says hello again to a coordinator that does not know it, and sends events from the oldest on")
    func helloRequired() async throws {
        try await run { member in
            _ = await connection.first(\.batch)
            let before = connection.count { $0.batch != nil && $0.batch?.follows == nil }
            await say(.order(.helloRequired), member)
            await connection.said.wait { $0.count { $0.hello != nil } == 2 }
            await say(.welcome(Self.welcome), member, as: .random())
            await connection.said.wait { $0.count { $0.batch != nil && $0.batch?.follows == nil } > before }
            let again = connection.said.value.compactMap(\.batch).last { $0.follows == nil }
            #expect(again?.events.first?.sequence == 1)
        }
    }
}

/// A coordinator that a test plays: what the node says is kept, and nothing is answered by itself.
final class RecordedConnection: CoordinatorConnection {
    let said = Observed<[NodeMessage]>([])
    let reconnections = Observed(0)

    func send(_ message: NodeMessage, to coordinator: Epoch?, mayWait: Bool) async -> Bool {
        said.change { $0.append(message) }
        return true
    }

    func reconnect() async {
        reconnections.change { $0 += 1 }
    }

    /// Returns when the node has said something from which `value` makes one, with the first such value.
    func first<Value>(_ value: @escaping @Sendable (NodeMessage) -> Value?) async -> Value? {
        await said.wait { $0.contains { value($0) != nil } }
        return said.value.lazy.compactMap(value).first
    }

    func count(_ isMeant: (NodeMessage) -> Bool) -> Int {
        said.value.count(where: isMeant)
    }
}

extension NodeMessage {
    var hello: NodeHello? { if case .hello(let hello) = self { hello } else { nil } }
    var heartbeat: NodeHeartbeat? { if case .heartbeat(let heartbeat) = self { heartbeat } else { nil } }
    var prepareResult: PrepareResult? { if case .prepareResult(let result) = self { result } else { nil } }
    var report: CaptureReport? { if case .captureResult(.captured(let report)) = self { report } else { nil } }
    var answer: DeviceAnswer? { if case .deviceAnswer(let answer) = self { answer } else { nil } }
    var batch: EventBatch? { if case .events(let batch) = self { batch } else { nil } }
    var page: InventoryPage? { if case .inventory(let page) = self { page } else { nil } }
}

extension PrepareResult {
    var problem: RigProblem? { if case .failure(let problem) = outcome { problem } else { nil } }
}
