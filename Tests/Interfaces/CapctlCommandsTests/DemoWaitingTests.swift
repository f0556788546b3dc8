import CaptureModel
import CaptureTestSupport
import PosixSupport
import Testing

@testable import CapctlCommands

/// What a demo says while it waits.
@Suite(.timeLimit(.minutes(10))) struct DemoProgressTests {
    private let notes = Locked<[String]>([])
    private let time = ManualTimeSource()

    private func progress(isTerminal: Bool) -> DemoProgress {
        DemoProgress(
            console: Console(
                write: { _ in }, note: { [notes] text in notes.withLock { $0.append(text) } }, isTerminal: isTerminal),
            time: time)
    }

    private var seen: [String] { notes.withLock { $0 } }

    @Test("Prints each topic once without a terminal, and no detail")
    func topics() {
        let progress = progress(isTerminal: false)
        progress.show("waiting for cameras", "cam1")
        for camera in 2...50 { progress.show("waiting for cameras", "cam\(camera)") }
        progress.show("waiting for clocks")
        progress.end()
        #expect(seen == ["capctl: waiting for cameras: cam1\n", "capctl: waiting for clocks\n"])
    }

    @Test("Says without a terminal what a long wait still lacks, every five seconds")
    func longWait() async {
        let progress = progress(isTerminal: false)
        progress.show("waiting for cameras", "cam1, cam2")
        progress.show("waiting for cameras", "cam2")
        let running = Task { await progress.run() }
        await time.run(until: time.now() + .seconds(11))
        #expect(
            seen == [
                "capctl: waiting for cameras: cam1, cam2\n", "capctl: waiting for cameras: cam2 (5 s)\n",
                "capctl: waiting for cameras: cam2 (10 s)\n",
            ])
        progress.end()
        await time.run(until: time.now() + .seconds(20))
        #expect(seen.count == 3, "nothing is awaited")
        running.cancel()
        await running.value
    }

    @Test("Rewrites one line on a terminal, which never wraps")
    func terminal() async {
        let progress = progress(isTerminal: true)
        let clear = "\r\u{1B}[2K"
        progress.show("waiting for cameras", "cam1")
        progress.show("waiting for cameras", "cam1")
        let running = Task { await progress.run() }
        await time.run(until: time.now() + .seconds(1))
        #expect(seen == [clear + "waiting for cameras: cam1", clear + "waiting for cameras: cam1 (1 s)"])
        progress.show("waiting for cameras", String(repeating: "long ", count: 40))
        let line = seen.last?.dropFirst(clear.count) ?? ""
        #expect(line.count == 79 && line.hasSuffix("… (1 s)"))
        progress.end()
        #expect(seen.last == clear && seen.allSatisfy { !$0.contains("\n") })
        running.cancel()
        await running.value
    }
}

/// Two nodes of two cameras and a microphone each, which lack nothing.
private struct CompleteRig {
    let plan: DemoPlan
    var nodes: [NodeStatus]
    /// Of each node in turn: two cameras, then the microphone.
    var devices: [DeviceStatus] = []

    init() throws {
        plan = try DemoPlan(nodes: 2, cameras: 2)
        nodes = plan.nodes.map { node in
            NodeStatus(
                node: node.name, isConnected: true, clockBound: .microseconds(100), ringDepth: .milliseconds(1500),
                spoolUsedBytes: 0, spoolFreeBytes: 0, devices: 3, devicesRunning: 3, software: "")
        }
        for node in plan.nodes {
            for camera in node.cameras { devices.append(Self.device(node, camera.name, .video, delivered: 1)) }
            guard let microphone = node.microphone else { continue }
            devices.append(Self.device(node, microphone.name, .audio, delivered: 72_000))
        }
    }

    private static func device(
        _ node: DemoPlan.Node, _ name: DeviceName, _ mediaType: MediaType, delivered: UInt64
    ) -> DeviceStatus {
        var counters = FrameCounters()
        counters.delivered = delivered
        return DeviceStatus(
            device: DeviceDescription(
                id: DeviceID(node: node.name, device: name), mediaType: mediaType, driver: "virtual"),
            condition: DeviceCondition(state: .running, counters: counters))
    }

    func readiness(needsHistory: Bool = true) -> DemoReadiness {
        var sound = SoundReach()
        return DemoReadiness(of: plan, nodes: nodes, devices: devices, sound: &sound, needsHistory: needsHistory)
    }
}

/// What a demo waits for.
@Suite struct DemoReadinessTests {
    @Test("Waits for nothing if nothing is missing") func complete() throws {
        let rig = try CompleteRig()
        #expect(rig.readiness().isComplete && rig.readiness(needsHistory: false).isComplete)
    }

    @Test("Names the node that is not connected, first of all") func agents() throws {
        var rig = try CompleteRig()
        rig.nodes[1].isConnected = false
        rig.nodes[0].clockBound = nil
        let readiness = rig.readiness()
        #expect(readiness.topic == "waiting for agents to connect" && readiness.detail == "node2 is not connected")
        #expect(readiness.problem == "node2 is not connected; node1 is not synchronized")
        #expect(!readiness.isUsable)
    }

    @Test("Names the camera or microphone that does not run, and why") func silentDevices() throws {
        var rig = try CompleteRig()
        rig.devices[2].condition.state = .starting
        rig.devices[3].condition = DeviceCondition(state: .busy, reason: "another program has it")
        #expect(rig.readiness().topic == "waiting for cameras and microphones")
        #expect(rig.readiness().problem == "node1/mic1 is starting; node2/cam1 is busy (another program has it)")
        rig.nodes[1].devices = 1
        #expect(rig.readiness().detail == "node2 has 1 of 3 cameras and microphones; node1/mic1 is starting; 1 more")
    }

    @Test("Waits until frames and sound reach back far enough for whole clips") func history() throws {
        var rig = try CompleteRig()
        rig.nodes[0].ringDepth = .milliseconds(1499)
        rig.devices[5].condition.counters.delivered = 48_000
        let readiness = rig.readiness()
        #expect(readiness.topic == "waiting for 1500 ms of frames and sound")
        #expect(readiness.problem == "node2/mic1 has 1000 ms of sound; node1 has 1499 ms of frames")
        #expect(!readiness.isComplete && readiness.isUsable, "pictures can be taken")
        #expect(rig.readiness(needsHistory: false).isComplete, "pictures without clips need no history")
    }

    @Test("Counts sound only after the last loss or interruption") func soundReach() throws {
        let microphone = try CompleteRig().devices[2]
        func reaches(_ reports: [(delivered: UInt64, lost: UInt64, state: DeviceCondition.State)]) -> [Duration] {
            var sound = SoundReach()
            return reports.map { report in
                var status = microphone
                status.condition.state = report.state
                status.condition.counters.delivered = report.delivered
                status.condition.counters.droppedByDevice = report.lost
                return sound.update(status, sampleRate: 48_000)
            }
        }
        let lossy = reaches([(48_000, 0, .running), (96_000, 960, .running), (120_000, 960, .running)])
        #expect(lossy == [.seconds(1), .zero, .milliseconds(500)])
        let interrupted = reaches([(48_000, 0, .running), (58_000, 0, .absent), (82_000, 0, .running)])
        #expect(interrupted == [.seconds(1), .zero, .milliseconds(500)])
        let restarted = reaches([
            (48_000, 0, .running), (58_000, 0, .absent), (24_000, 0, .running), (72_000, 0, .running),
        ])
        #expect(restarted == [.seconds(1), .zero, .zero, .seconds(1)], "another agent counts from the beginning")
        #expect(reaches([(48_000, 1, .running)]) == [.zero], "nobody knows when it was lost")
    }
}
