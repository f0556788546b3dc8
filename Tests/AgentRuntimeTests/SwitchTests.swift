import CaptureDevices
import CaptureEngine
import CaptureModel
import CaptureSystem
import CaptureTestSupport
import PosixSupport
import RigProtocol
import RigWire
import Spool
import Testing

@testable import AgentRuntime

/// A node of a camera that runs and one on standby.
private final class SwitchBench: Sendable {
    let node: CaptureNode
    private let running: Task<Void, Never>

    init(folder: TemporaryFolder, faults: [VirtualFault] = []) async throws {
        let (served, isServed) = AsyncStream.makeStream(of: Void.self)
        let clock = SystemTimeSource()
        let name = try NodeName("north")
        let spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 28, reserveFreeBytes: 0,
            executor: FileExecutor(name: "spool"))
        let sessions = try [("old", [], StandbyPolicy.always), ("new", faults, .onDemand)].map {
            device, faults, standby in
            var configuration = VirtualCameraConfiguration()
            (configuration.width, configuration.height, configuration.faults) = (160, 120, faults)
            return CaptureSession(
                device: DeviceDescription(id: DeviceID(node: name, device: try DeviceName(device)), driver: "virtual"),
                camera: VirtualCamera(name: device, configuration: configuration), format: FormatRequest(),
                policy: SessionPolicy(standby: standby), clock: clock, rigClock: FixedRigClock(), spool: spool,
                executor: try FileExecutor(name: device)
            ) { event in
                // A camera that runs, or is on standby: either is told once its session is served.
                if case .conditionChanged = event { isServed.yield() }
            }
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

    func ask(
        _ device: String, _ command: WireDeviceRequest.OneOf_Command
    ) async throws -> Result<WireSessionResult, CaptureProblem> {
        let request = DeviceRequest(device: try DeviceID(device), command: command)
        return await node.carryOut(request.wire).map(\.session)
    }

    func states() async -> [String: String] {
        await Dictionary(
            uniqueKeysWithValues: node.statuses().map { ($0.device.id.description, $0.condition.state.rawValue) })
    }

    static func switching(to device: String) -> WireDeviceRequest.OneOf_Command {
        var order = WireSwitchInput()
        order.replacement = device
        return .switchInput(order)
    }
}

@Suite(.timeLimit(.minutes(1))) struct SwitchTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("A switch leaves both cameras open, or commands for one reach the other")
    func switching() async throws {
        let bench = try await SwitchBench(folder: folder)
        _ = try await bench.ask("north/old", .startSession(.init())).get()
        #expect(await bench.states() == ["north/old": "running", "north/new": "stopped"])
        let result = try await bench.ask("north/old", SwitchBench.switching(to: "new")).get()
        #expect(try DeviceID(wire: result.device).description == "north/new")
        #expect(result.condition.state == "running")
        #expect(result.changes.first == "input: north/old → north/new")
        #expect(await bench.states() == ["north/old": "stopped", "north/new": "running"])
        let back = try await bench.ask("north/new", SwitchBench.switching(to: "old")).get()
        #expect(try DeviceID(wire: back.device).description == "north/old")
        _ = try await bench.ask("north/new", .startSession(.init())).get()
        #expect(await bench.states() == ["north/old": "running", "north/new": "running"])
        let refused = try await bench.ask("north/old", SwitchBench.switching(to: "new"))
        guard case .failure(let problem) = refused else {
            Issue.record("a camera was taken from under its own session")
            return
        }
        #expect(problem.message.contains("capctl session stop north/new"))
        await bench.end()
    }

    @Test("A switch to a camera that does not start loses the one that ran")
    func restored() async throws {
        let bench = try await SwitchBench(folder: folder, faults: [VirtualFault(.denied)])
        _ = try await bench.ask("north/old", .startSession(.init())).get()
        guard case .failure = try await bench.ask("north/old", SwitchBench.switching(to: "new")) else {
            Issue.record("switched to a camera that may not be opened")
            return
        }
        #expect(await bench.states() == ["north/old": "running", "north/new": "stopped"])
        await bench.end()
    }

    @Test("A command for a device or of a kind that the node does not know has no answer")
    func unknown() async throws {
        let bench = try await SwitchBench(folder: folder)
        for (device, command) in [
            ("north/nothere", WireDeviceRequest.OneOf_Command.startSession(.init())),
            ("south/old", .startSession(.init())), ("north/old", SwitchBench.switching(to: "nothere")),
            ("north/old", SwitchBench.switching(to: "old")), ("north/old", SwitchBench.switching(to: "../x")),
        ] {
            guard case .failure = try await bench.ask(device, command) else {
                Issue.record("carried out: \(device)")
                return
            }
        }
        var wire = WireDeviceRequest()
        wire.device = try DeviceID("north/old").wire
        guard case .failure(let problem) = await bench.node.carryOut(wire) else {
            Issue.record("carried out without a command")
            return
        }
        #expect(problem.code == .protocolViolation)
        await bench.end()
    }
}
