import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Journal
import Logging
import PosixSupport
import RigProtocol
import RigWire
import Spool
import SystemClock
import Testing
import VirtualDevices
import ZeroMQ

@testable import AgentChannels
@testable import NodeCore

@Suite(.timeLimit(.minutes(10))) struct SlowCameraTests {
    private let folder: TemporaryFolder
    private let context: ZeroMQContext
    private let clock = SystemTimeSource()
    private let slow: SlowCamera
    private let spool: Spool
    /// Shots of which a capture has ended.
    private let ended = Observed<Set<ShotID>>([])

    init() throws {
        folder = try TemporaryFolder()
        context = try ZeroMQContext()
        slow = SlowCamera(try Self.camera())
        spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
    }

    private static func camera() throws -> VirtualCamera {
        var configuration = VirtualCameraConfiguration()
        (configuration.width, configuration.height) = (160, 120)
        // So slow that a busy machine does not make a frame look old.
        configuration.framesPerSecond = 4
        return VirtualCamera(name: "cam", configuration: configuration)
    }

    /// The control link of a node `north` of the cameras `slow` and `quick`, both running, joined to a coordinator.
    private func run(_ body: (FakeCoordinator) async throws -> Void) async throws {
        let coordinator = try await FakeCoordinator(context)
        let (ran, isRunning) = AsyncStream.makeStream(of: Void.self)
        let cameras: [(String, any Camera)] = [("slow", slow), ("quick", try Self.camera())]
        let sessions = try cameras.map { name, camera in
            let device = CaptureDevice(
                description: DeviceDescription(id: try DeviceID("north/\(name)"), driver: "virtual"), camera: camera)
            let services = SessionServices(
                clock: clock, rigClock: FixedRigClock(), spool: spool, executor: try ThreadExecutor(name: name)
            ) { event in
                if case .conditionChanged(_, let condition) = event, condition.isUsable { isRunning.yield() }
                if case .lifeCycle(let key, .didFinishCapture) = event { ended.change { _ = $0.insert(key.shot) } }
            }
            return try CaptureSession(
                SessionConfiguration(input: CaptureDeviceInput(device: device)), services: services)
        }
        let link = try await makeLink(sessions, coordinator.endpoint)
        let running = Task {
            await withDiscardingTaskGroup { group in
                for session in sessions { group.addTask { await session.run() } }
                group.addTask { await link.link.run(link.member) }
            }
        }
        var waiting = ran.makeAsyncIterator()
        for _ in sessions { await waiting.next() }
        _ = await coordinator.message { $0.heartbeat.sequence > 0 }
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(coordinator)) } catch { outcome = .failure(error) }
        slow.isAnswering.change { $0 = true }
        running.cancel()
        await link.sockets.close()
        await running.value
        await coordinator.stop()
        try outcome.get()
    }

    private func makeLink(
        _ sessions: [CaptureSession], _ endpoint: String
    ) async throws -> (link: ControlLink, member: RigMember, sockets: AgentSockets) {
        let epoch = Epoch.random()
        let journal = try EventJournal(
            folder: folder.path + "/events", epoch: epoch, executor: try ThreadExecutor(name: "events"))
        let sockets = try AgentSockets(context: context, security: .none)
        var log = Logger(label: "test")
        log.logLevel = .critical
        let name = try NodeName("north")
        let identity = AgentIdentity(node: name, epoch: epoch, bootID: "boot", software: "test")
        let link = ControlLink(
            socket: sockets.control, identity: identity, clock: clock, log: log, refusalCause: { nil },
            framesStatus: { _ in nil })
        let member = RigMember(
            identity: identity,
            node: CaptureNode(name: name, sessions: sessions, spool: spool, rigClock: FixedRigClock()),
            events: NodeEvents(journal: journal, clock: clock, rigClock: FixedRigClock(), log: log), spool: spool,
            rigClock: FixedRigClock(), health: NodeHealth(), connection: link, clock: clock, log: log, joined: { _ in },
            admitted: { _ in })
        try await sockets.control.connect(to: endpoint)
        return (link, member, sockets)
    }

    private func shot(_ number: Int64) -> ShotID {
        var generator = SeededGenerator(seed: UInt64(number))
        return ShotID(unixMilliseconds: 1_795_000_000_000 + number, using: &generator)
    }

    private func prepare(
        _ shot: ShotID, _ devices: [String], _ settings: PhotoSettings = PhotoSettings()
    ) -> WireCoordinatorMessage.OneOf_Body {
        let time = RigTime(nanoseconds: clock.now().nanoseconds) + .seconds(2)
        var wire = WirePrepare()
        (wire.shotID, wire.devices, wire.rigClockID) = (shot.wire, devices, FixedRigClock.id.rawValue)
        (wire.rigTimeNs, wire.pinnedUntilRigNs) = (time.nanoseconds, (time + .seconds(30)).nanoseconds)
        wire.settings = settings.wire
        return .prepare(wire)
    }

    /// Returns when a camera is armed for a shot; never, where it is not.
    private func isArmed(_ coordinator: FakeCoordinator, _ shot: ShotID, _ device: String) async -> Bool {
        let message = await coordinator.message { message in
            message.body?.isPrepareResult == true && message.prepareResult.shotID == shot.wire
                && message.prepareResult.device == device
        }
        guard case .armed? = message?.prepareResult.outcome else { return false }
        return true
    }

    @Test("Sends device lists one at a time")
    func oneListingAtATime() async throws {
        let link = try await makeLink([], "tcp://127.0.0.1:1")
        let (steps, waits) = (Observed<[Int]>([]), Observed(0))
        await withDiscardingTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    waits.change { $0 += 1 }
                    await link.member.listing {
                        steps.change { $0.append(number) }
                        // All of them have come: without an order, they would begin here.
                        await waits.wait { $0 == 8 }
                        for _ in 0..<8 { await Task.yield() }
                        steps.change { $0.append(number) }
                    }
                }
            }
        }
        let order = steps.value
        #expect(order.count == 16)
        for pair in 0..<8 { #expect(order[2 * pair] == order[2 * pair + 1], "\(order)") }
        await link.sockets.close()
    }

    @Test("Arms, fires and cancels other cameras while one does not answer")
    func othersGoOn() async throws {
        try await run { coordinator in
            let lit = shot(1)
            await coordinator.send(prepare(lit, ["slow", "quick"], PhotoSettings(flash: .on)))
            await slow.asked.wait { $0 > 0 }
            // The camera is asked for its controls, and does not answer; everything else goes on.
            #expect(await isArmed(coordinator, lit, "quick"))
            var cancel = WireCancel()
            (cancel.shotID, cancel.devices) = (lit.wire, ["slow", "quick"])
            await coordinator.send(.cancel(cancel))
            await coordinator.send(prepare(shot(3), ["quick"]))
            #expect(await isArmed(coordinator, shot(3), "quick"))
            var fire = WireFire()
            (fire.shotID, fire.devices) = (shot(3).wire, ["quick"])
            await coordinator.send(.fire(fire))
            let captured = await coordinator.message { $0.body?.isCaptured == true }
            let report = captured.flatMap { try? CaptureReport(wire: $0.captured) }
            #expect(report?.key.device.device.rawValue == "quick")
            #expect(slow.asked.value == 1, "it has still not answered")
            #expect(
                !coordinator.heard.value.messages.contains {
                    $0.body?.isPrepareResult == true && $0.prepareResult.device == "slow"
                })
        }
    }

    @Test("Frees frames and disk of a shot that is cancelled while a camera arms slowly")
    func cancelledWhileArming() async throws {
        try await run { coordinator in
            await coordinator.send(prepare(shot(1), ["slow"], PhotoSettings(flash: .on)))
            await slow.asked.wait { $0 > 0 }
            var cancel = WireCancel()
            (cancel.shotID, cancel.devices) = (shot(1).wire, ["slow"])
            await coordinator.send(.cancel(cancel))
            // Behind the cancel on its way.
            await coordinator.send(prepare(shot(2), ["quick"]))
            #expect(await isArmed(coordinator, shot(2), "quick"))
            (cancel.shotID, cancel.devices) = (shot(2).wire, ["quick"])
            await coordinator.send(.cancel(cancel))
            slow.isAnswering.change { $0 = true }
            let cancelled: Set = [shot(1), shot(2)]
            await ended.wait { $0 == cancelled }
            #expect(await spool.usage().reservedBytes == 0)
        }
    }
}

/// A virtual camera that answers no question about its controls until it is let; its frames go on.
final class SlowCamera: Camera {
    let isAnswering = Observed(false)
    /// Questions asked so far.
    let asked = Observed(0)
    private let camera: VirtualCamera

    init(_ camera: VirtualCamera) {
        self.camera = camera
    }

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        SlowStream(camera: self, stream: try await camera.start(request, clock: clock))
    }

    func authorization() async -> AuthorizationStatus { await camera.authorization() }
    func capabilities() async throws(CameraError) -> DeviceCapabilities { try await camera.capabilities() }
}

private struct SlowStream: CameraStream {
    let camera: SlowCamera
    let stream: any CameraStream

    var format: VideoFormat { stream.format }
    var sampleRange: SampleRange { stream.sampleRange }
    var hardware: CameraHardware { stream.hardware }
    var frames: AsyncStream<CameraFrame> { stream.frames }
    var losses: FrameCounters { stream.losses }
    var failure: CameraError? { stream.failure }

    func controls() async throws(CameraError) -> [DeviceControl] {
        camera.asked.change { $0 += 1 }
        await camera.isAnswering.wait { $0 }
        return try await stream.controls()
    }

    func setControls(_ values: [String: Int64]) async throws(CameraError) -> [String: Int64] {
        try await stream.setControls(values)
    }

    func stop() async { await stream.stop() }
}
