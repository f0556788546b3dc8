import CameraKit
import CaptureEngine
import CaptureModel
import CaptureTestSupport
import PosixSupport
import Spool
import SystemClock
import Testing
import VirtualDevices

@testable import NodeCore

/// A node of a camera that runs and one on standby.
private final class SwitchBench: Sendable {
    let node: CaptureNode
    private let running: Task<Void, Never>

    /// - Parameter opening: Called whenever the camera on standby is about to be opened.
    init(
        folder: TemporaryFolder, faults: [VirtualFault] = [], opening: @escaping @Sendable () async -> Void = {}
    ) async throws {
        let (served, isServed) = AsyncStream.makeStream(of: Void.self)
        let clock = SystemTimeSource()
        let name = try NodeName("north")
        let spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        let idle: @Sendable () async -> Void = {}
        let sessions = try [("old", [], StandbyPolicy.always), ("new", faults, .onDemand)].map {
            device, faults, standby in
            var configuration = VirtualCameraConfiguration()
            (configuration.width, configuration.height, configuration.faults) = (160, 120, faults)
            configuration.serial = "SN-\(device)"
            let camera = CaptureDevice(
                description: DeviceDescription(
                    id: DeviceID(node: name, device: try DeviceName(device)), driver: "virtual"),
                camera: HookedCamera(
                    camera: VirtualCamera(name: device, configuration: configuration),
                    opening: device == "new" ? opening : idle))
            let services = SessionServices(
                clock: clock, rigClock: FixedRigClock(), spool: spool, executor: try ThreadExecutor(name: device)
            ) { event in
                // A camera that runs, or is on standby: either is told once its session is served.
                if case .conditionChanged = event { isServed.yield() }
            }
            return try CaptureSession(
                SessionConfiguration(
                    input: CaptureDeviceInput(device: camera), policy: SessionPolicy(standby: standby)),
                services: services)
        }
        node = CaptureNode(name: name, sessions: sessions, spool: spool, rigClock: FixedRigClock())
        running = Task {
            await withDiscardingTaskGroup { group in
                for session in sessions { group.addTask { await session.run() } }
            }
        }
        var waiting = served.makeAsyncIterator()
        for _ in sessions { await waiting.next() }
    }

    func end() async {
        running.cancel()
        await running.value
    }

    func ask(_ device: String, _ command: DeviceCommand?) async throws -> Result<SessionResult, RigProblem> {
        let request = DeviceRequest(device: try DeviceID(device), command: command)
        return await node.carryOut(request).flatMap { reply in
            guard case .session(let result) = reply else {
                return .failure(RigProblem(.protocolViolation, "answered with \(reply)"))
            }
            return .success(result)
        }
    }

    /// Asks whether the camera could be switched.
    func objection(_ device: String, to replacement: String) async throws -> SwitchObjection? {
        let request = DeviceRequest(
            device: try DeviceID(device), command: .canSwitchInput(to: try DeviceName(replacement)))
        guard case .canSwitchInput(let objection) = try await node.carryOut(request).get() else {
            throw RigProblem(.protocolViolation, "answered with something else")
        }
        return objection
    }

    func states() async -> [String: String] {
        await Dictionary(
            uniqueKeysWithValues: node.statuses().map { ($0.device.id.description, $0.condition.state.rawValue) })
    }

    static func switching(to device: String) throws -> DeviceCommand {
        .switchInput(to: try DeviceName(device))
    }
}

/// A virtual camera that tells when it is about to be opened.
private struct HookedCamera: Camera {
    let camera: VirtualCamera
    let opening: @Sendable () async -> Void

    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream {
        await opening()
        return try await camera.start(request, clock: clock)
    }

    func authorization() async -> AuthorizationStatus { await camera.authorization() }
    func capabilities() async throws(CameraError) -> DeviceCapabilities { try await camera.capabilities() }
}

@Suite(.timeLimit(.minutes(10))) struct SwitchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("Leaves one camera open after a switch, and sends commands to it")
    func switching() async throws {
        let bench = try await SwitchBench(folder: folder)
        _ = try await bench.ask("north/old", .startSession).get()
        #expect(await bench.states() == ["north/old": "running", "north/new": "stopped"])
        let result = try await bench.ask("north/old", SwitchBench.switching(to: "new")).get()
        #expect(result.device.description == "north/new")
        #expect(result.condition.state == .running)
        #expect(result.changes.first == "input: north/old → north/new")
        #expect(await bench.states() == ["north/old": "stopped", "north/new": "running"])
        let back = try await bench.ask("north/new", SwitchBench.switching(to: "old")).get()
        #expect(back.device.description == "north/old")
        _ = try await bench.ask("north/new", .startSession).get()
        #expect(await bench.states() == ["north/old": "running", "north/new": "running"])
        let refused = try await bench.ask("north/old", SwitchBench.switching(to: "new"))
        guard case .failure(let problem) = refused else {
            Issue.record("a camera was taken from under its own session")
            return
        }
        #expect(problem.message.contains("capctl session stop north/new"))
        await bench.end()
    }

    @Test("Aligns a camera, says how well, and lets it run free again")
    func aligning() async throws {
        let bench = try await SwitchBench(folder: folder)
        _ = try await bench.ask("north/old", .startSession).get()
        func align(_ request: AlignmentRequest?) async throws -> CameraAlignment? {
            try await bench.ask("north/old", .align(request)).get().condition.session?.alignment
        }
        // On a busy machine, its first frames may take longer than a request waits.
        var alignment = try #require(try await align(AlignmentRequest()))
        while alignment.state != .aligned { alignment = try #require(try await align(AlignmentRequest())) }
        #expect(try #require(alignment.lateness).magnitude <= .microseconds(100))
        #expect(try await align(nil) == nil)
        // A camera on standby is not opened for it.
        let closed = try await bench.ask("north/new", .align(AlignmentRequest())).get()
        #expect(closed.condition.state == .stopped)
        #expect(closed.condition.session?.alignment?.reason == "it does not stream")
        await bench.end()
    }

    @Test("Turns and mirrors a running camera as asked, and changes nothing else")
    func turning() async throws {
        let bench = try await SwitchBench(folder: folder)
        _ = try await bench.ask("north/old", .startSession).get()
        let turned = try await bench.ask(
            "north/old", .setConnection(orientation: .degrees90, isMirrored: nil)
        ).get()
        #expect(turned.changes == ["orientation: 0 degrees → 90 degrees"] && turned.condition.state == .running)
        let mirrored = try await bench.ask("north/old", .setConnection(orientation: nil, isMirrored: true)).get()
        #expect(mirrored.changes == ["mirroring: none → left and right exchanged"])
        let device = try #require(await bench.node.statuses().map(\.device).first { $0.id.device.rawValue == "old" })
        #expect(device.orientation == .degrees90 && device.mirrored == true)
        let switched = try await bench.ask("north/old", SwitchBench.switching(to: "new")).get()
        #expect(switched.changes.contains("orientation: 90 degrees → 0 degrees"), "the other camera's own")
        _ = try await bench.ask("north/new", SwitchBench.switching(to: "old")).get()
        let back = try #require(await bench.node.statuses().map(\.device).first { $0.id.device.rawValue == "old" })
        #expect(back.orientation == .degrees90 && back.mirrored == true, "it has kept its own")
        await bench.end()
    }

    @Test("Describes each camera by what its hardware said when it was opened")
    func hardware() async throws {
        let bench = try await SwitchBench(folder: folder)
        func serials() async -> [String?] { await bench.node.statuses().map(\.device.serial) }
        _ = try await bench.ask("north/old", .startSession).get()
        #expect(await serials() == [nil, "SN-old"])
        _ = try await bench.ask("north/old", SwitchBench.switching(to: "new")).get()
        #expect(await serials() == ["SN-new", "SN-old"])
        #expect(await bench.node.statuses().map(\.device.model) == ["Virtual camera", "Virtual camera"])
        await bench.end()
    }

    @Test("Lists each of two cameras once during a switch")
    func listedWhileSwitching() async throws {
        let (node, listed) = (Observed<CaptureNode?>(nil), Observed<[DeviceStatus]>([]))
        let bench = try await SwitchBench(folder: folder) {
            let statuses = await node.value?.statuses() ?? []
            listed.change { $0 = statuses }
        }
        _ = try await bench.ask("north/old", .startSession).get()
        node.change { $0 = bench.node }
        _ = try await bench.ask("north/old", SwitchBench.switching(to: "new")).get()
        #expect(listed.value.map(\.device.id.description) == ["north/new", "north/old"])
        #expect(listed.value.map(\.condition.state) == [.starting, .stopped])
        #expect(listed.value.last?.condition.reason == "the camera is being switched")
        node.change { $0 = nil }
        await bench.end()
    }

    @Test("Keeps the running camera when the other one does not start")
    func restored() async throws {
        let bench = try await SwitchBench(folder: folder, faults: [VirtualFault(.busy)])
        _ = try await bench.ask("north/old", .startSession).get()
        guard case .failure = try await bench.ask("north/old", SwitchBench.switching(to: "new")) else {
            Issue.record("switched to a camera that another program uses")
            return
        }
        #expect(await bench.states() == ["north/old": "running", "north/new": "stopped"])
        await bench.end()
    }

    @Test("Restores both sessions when the second refuses a switch")
    func halfDone() async throws {
        let partner = Observed<CaptureSession?>(nil)
        let bench = try await SwitchBench(folder: folder) {
            // While its camera starts in the first session, somebody configures the second one.
            guard let other = partner.value else { return }
            partner.change { $0 = nil }
            _ = try? await other.commitConfiguration(other.beginConfiguration())
        }
        let (old, new) = (try DeviceName("old"), try DeviceName("new"))
        let (first, second) = await (bench.node.sessions[old], bench.node.sessions[new])
        _ = try await bench.ask("north/old", .startSession).get()
        partner.change { $0 = second }
        guard case .failure(let problem) = try await bench.ask("north/old", SwitchBench.switching(to: "new")) else {
            Issue.record("half a switch passes for a whole one")
            return
        }
        #expect(partner.value == nil, "the camera was opened in its new session")
        #expect(problem.code == .conflict)
        #expect(problem.message.contains("the session of 'new' cannot use its camera"))
        #expect(problem.message.hasSuffix("north/old is running, north/new is stopped"))
        #expect(await bench.states() == ["north/old": "running", "north/new": "stopped"])
        #expect(await bench.node.sessions[old] === first && first?.device.id.device == old)
        #expect(await bench.node.sessions[new] === second && second?.device.id.device == new)
        _ = try await bench.ask("north/new", .startSession).get()
        #expect(await bench.states() == ["north/old": "running", "north/new": "running"])
        await bench.end()
    }

    @Test("Says before a switch why it would be refused, with the problem of the refusal, and changes nothing")
    func asking() async throws {
        let bench = try await SwitchBench(folder: folder)
        func isRefused(_ device: String, to replacement: String, _ reason: SwitchObjection.Reason) async throws {
            let states = await bench.states()
            let objection = try #require(try await bench.objection(device, to: replacement))
            let switched = try await bench.ask(device, SwitchBench.switching(to: replacement))
            guard case .failure(let problem) = switched else {
                Issue.record("\(device) was switched against \(objection)")
                return
            }
            #expect(objection.reason == reason && objection.problem == problem)
            #expect(await bench.states() == states)
        }
        _ = try await bench.ask("north/old", .startSession).get()
        try await isRefused("north/new", to: "old", .notRunning)
        try await isRefused("north/old", to: "nothere", .unknownDevice)
        try await isRefused("north/old", to: "old", .unknownDevice)
        _ = try await bench.ask("north/new", .startSession).get()
        try await isRefused("north/old", to: "new", .deviceInUse)
        _ = try await bench.ask("north/new", .stopSession(force: false)).get()

        #expect(try await bench.objection("north/old", to: "new") == nil)
        #expect(await bench.states() == ["north/old": "running", "north/new": "stopped"])
        let switched = try await bench.ask("north/old", SwitchBench.switching(to: "new")).get()
        #expect(switched.device.description == "north/new")
        await bench.end()
    }

    @Test("Says before a switch that the other camera may not be opened, or that captures need this one")
    func asksTheSessions() async throws {
        let bench = try await SwitchBench(folder: folder, faults: [VirtualFault(.denied)])
        _ = try await bench.ask("north/old", .startSession).get()
        let denied = try #require(try await bench.objection("north/old", to: "new"))
        #expect(denied.reason == .notAuthorized && denied.problem.code == .conflict)
        #expect(denied.problem.message.contains("north/old cannot be switched to new: start: north/new is denied"))
        let refused = try await bench.ask("north/old", SwitchBench.switching(to: "new"))
        #expect(throws: denied.problem) { try refused.get() }
        let session = try #require(await bench.node.sessions[try DeviceName("old")])
        var generator = SeededGenerator(seed: 1)
        let shot = ShotID(unixMilliseconds: 1_795_000_000_000, using: &generator)
        let now = try #require(FixedRigClock().rigTime(at: SystemTimeSource().now())).time
        let order = CaptureOrder(
            key: CaptureKey(shot: shot, device: session.device.id),
            time: now + .seconds(5), rigClock: FixedRigClock.id, pinnedUntil: now + .seconds(9),
            settings: PhotoSettings(), realtimeAtTime: 1_800_000_000_000_000_000, utcOffsetMinutes: 120)
        _ = try await session.arm(order).get()
        #expect(try await bench.objection("north/old", to: "new")?.reason == .capturesUnderWay)
        #expect(await bench.states() == ["north/old": "running", "north/new": "stopped"])
        await bench.end()
    }

    @Test("Says during a switch that the cameras are being switched, and of devices of others that it has none")
    func asksMeanwhile() async throws {
        let (asked, answers) = (Observed<SwitchBench?>(nil), Observed<[SwitchObjection.Reason?]>([]))
        let bench = try await SwitchBench(folder: folder) {
            for (device, replacement) in [("north/old", "new"), ("north/new", "old")] {
                let objection = try? await asked.value?.objection(device, to: replacement)
                answers.change { $0.append(objection?.reason) }
            }
        }
        _ = try await bench.ask("north/old", .startSession).get()
        asked.change { $0 = bench }
        _ = try await bench.ask("north/old", SwitchBench.switching(to: "new")).get()
        asked.change { $0 = nil }
        #expect(answers.value == [.switching, .switching])
        for device in ["north/nothere", "south/old"] {
            await #expect(throws: RigProblem.self) { try await bench.objection(device, to: "new") }
        }
        await bench.end()
    }

    @Test("Answers commands for unknown devices and of unknown kinds")
    func unknown() async throws {
        let bench = try await SwitchBench(folder: folder)
        for (device, command) in [
            ("north/nothere", DeviceCommand.startSession),
            ("south/old", .startSession), ("north/old", try SwitchBench.switching(to: "nothere")),
            ("north/old", try SwitchBench.switching(to: "old")),
        ] {
            guard case .failure = try await bench.ask(device, command) else {
                Issue.record("carried out: \(device)")
                return
            }
        }
        guard case .failure(let problem) = try await bench.ask("north/old", nil) else {
            Issue.record("carried out without a command")
            return
        }
        #expect(problem.code == .protocolViolation)
        await bench.end()
    }
}
