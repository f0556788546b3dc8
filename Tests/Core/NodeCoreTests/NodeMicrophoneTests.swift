import CaptureEngine
import CaptureModel
import CaptureTestSupport
import Journal
import Logging
import PosixSupport
import RigConfiguration
import Sound
import Spool
import SystemClock
import Testing
import VirtualDevices

@testable import NodeCore

@Suite(.timeLimit(.minutes(10))) struct NodeMicrophoneTests {
    private let name: NodeName
    private let folder: TemporaryFolder
    private let events: NodeEvents
    private let spool: Spool

    init() throws {
        name = try NodeName("north")
        folder = try TemporaryFolder()
        spool = try Spool(
            folder: folder.path + "/spool", limitBytes: 1 << 20, reserveFreeBytes: 0,
            executor: ThreadExecutor(name: "spool"))
        events = NodeEvents(
            journal: try EventJournal(
                folder: folder.path + "/events", epoch: .random(), executor: ThreadExecutor(name: "events")),
            clock: SystemTimeSource(), rigClock: FixedRigClock(), log: Logger(label: "test"))
    }

    private func microphone(
        _ configure: (inout VirtualMicrophoneConfiguration) -> Void = { _ in }
    ) throws -> NodeMicrophone {
        var virtual = VirtualMicrophoneConfiguration()
        configure(&virtual)
        let configuration = MicrophoneConfiguration(
            name: try DeviceName("desk"), labels: ["speech"], purpose: "Sound of the clips", source: .virtual(virtual),
            sampleRate: 8000)
        return try NodeMicrophone(
            configuration, on: name, clock: SystemTimeSource(), events: events,
            log: DeviceLog(Logger(label: "test")))
    }

    private func node(_ microphone: NodeMicrophone) -> CaptureNode {
        CaptureNode(
            name: name, sessions: [], microphones: [microphone.session], spool: spool, rigClock: FixedRigClock())
    }

    @Test("Lists a microphone as such")
    func status() async throws {
        let node = node(try microphone())
        let status = try #require(await node.statuses().first)
        #expect(status.device.id.description == "north/desk" && status.device.mediaType == .audio)
        #expect(status.device.type == .microphone && status.device.driver == "virtual")
        #expect(status.device.labels == ["speech"] && status.device.purpose == "Sound of the clips")
        #expect(status.condition.state == .stopped, "nothing needs sound")
        let candidates = [SelectionCandidate(device: status.device, isUsable: true)]
        #expect(throws: EmptySelection.self) { try Selection().evaluate(candidates) }
        #expect(try Selection(mediaType: .audio).evaluate(candidates).count == 1)
    }

    @Test("Describes a microphone, and refuses to start and stop it")
    func requests() async throws {
        let node = node(try microphone { $0.faults = [VirtualFault(.denied)] })
        let device = DeviceID(node: name, device: try DeviceName("desk"))
        let request = DeviceRequest(device: device, command: .describe)
        guard case .details(let details) = try await node.carryOut(request).get() else {
            Issue.record("no details")
            return
        }
        #expect(details.authorization == .denied)
        #expect(details.remedy?.contains("may not open") == true)
        let start = DeviceRequest(device: device, command: .startSession)
        let refusal = await #expect(throws: RigProblem.self) { _ = try await node.carryOut(start).get() }
        #expect(refusal?.code == .conflict)
        var generator = SeededGenerator(seed: 6)
        let id = SettingsID(unixMilliseconds: 1_795_000_000_000, using: &generator)
        let settings = DeviceRequest(
            device: device, command: .settings(id, .prepare(try CaptureSettings(parsing: "gain=6dB"))))
        let unset = await #expect(throws: RigProblem.self) { _ = try await node.carryOut(settings).get() }
        #expect(unset?.code == .conflict && unset?.message.contains("north/desk is a microphone") == true)
    }

    @Test("Says of a microphone that it is replaced by no camera, with the problem of the refusal")
    func switching() async throws {
        let node = node(try microphone())
        let (device, replacement) = (DeviceID(node: name, device: try DeviceName("desk")), try DeviceName("cam"))
        let query = DeviceRequest(device: device, command: .canSwitchInput(to: replacement))
        guard case .canSwitchInput(let objection?) = try await node.carryOut(query).get() else {
            Issue.record("nothing objects")
            return
        }
        #expect(objection.reason == .notACamera)
        let change = DeviceRequest(device: device, command: .switchInput(to: replacement))
        await #expect(throws: objection.problem) { _ = try await node.carryOut(change).get() }
    }

    @Test("Bounds the changes that wait for the journal, and counts lost ones")
    func lost() async throws {
        let microphone = try microphone()
        for _ in 0..<50 {
            await microphone.session.need(.listening)
            await microphone.session.release(.listening)
        }
        let telling = Task { await microphone.tell() }
        var told: [RigEvent] = []
        while told.count < 64 {
            for await _ in events.appended { break }
            while let batch = await events.nextBatch() { told += batch.events.map(\.event) }
        }
        telling.cancel()
        await telling.value
        // Starting and stopped, fifty times.
        #expect(told.count == 64 && told[0].details["lost"] == "36")
        #expect(told.dropFirst().allSatisfy { $0.details["lost"] == nil })
    }

    @Test("Reports the changes of a microphone")
    func told() async throws {
        let microphone = try microphone()
        let running = Task { await microphone.run() }
        await microphone.session.need(.listening)
        var names: [String] = []
        while names.last != "device.running" {
            for await _ in events.appended { break }
            while let batch = await events.nextBatch() { names += batch.events.map(\.event.name.rawValue) }
        }
        #expect(names == ["device.starting", "device.running"])
        running.cancel()
        await running.value
    }
}
