import CaptureModel
import ShotLogic
import Testing

/// Watches a machine from outside and records an issue for every broken promise.
struct MachineInvariants {
    private let devices: Set<DeviceID>
    private let wasResumed: Bool
    private var previous: Shot
    private var connected: Set<NodeName>
    private(set) var outstanding: Shot?
    private(set) var durable: Shot?
    private var hasAbandoned = false
    private var hasGivenUp = false
    private(set) var answers: [Shot] = []

    init(_ machine: ShotMachine, connected: Set<NodeName>) {
        previous = machine.shot
        devices = Set(machine.shot.captures.map(\.device.id))
        durable = machine.durableShot
        wasResumed = durable != nil
        self.connected = connected
    }

    mutating func check(_ event: ShotEvent, _ actions: [ShotAction], _ machine: ShotMachine) {
        follow(event)
        for action in actions { check(action, machine) }
        checkCaptures(machine.shot)
        previous = machine.shot
    }

    private mutating func follow(_ event: ShotEvent) {
        switch event {
        case .nodeConnected(let node, _, _): connected.insert(node)
        case .nodeDisconnected(let node): connected.remove(node)
        case .manifestDurable(let revision) where outstanding?.revision == revision:
            durable = outstanding
            outstanding = nil
        case .manifestFailed(let revision, _) where outstanding?.revision == revision:
            hasAbandoned = hasAbandoned || durable == nil
            outstanding = nil
        default: break
        }
    }

    private mutating func check(_ action: ShotAction, _ machine: ShotMachine) {
        switch action {
        case .writeManifest(let shot): checkWrite(shot)
        case .prepare(let node, let asked): checkRequest(node, asked, [.preparing], machine)
        case .fire(let node, let asked): checkFire(node, asked, machine)
        case .cancel(let node, let asked): checkRequest(node, asked, [.missed], machine)
        case .collect(let key, _, let digest):
            let file = file(key, in: machine.shot)
            #expect(file?.digest == digest && (file?.outcome == .pending || file?.outcome == .failed))
        case .release(let key, let digest):
            let file = durable.flatMap { self.file(key, in: $0) }
            #expect(file?.digest == digest && (file?.outcome == .done || file?.outcome == .late), "released \(key)")
        case .forget(let key):
            let file = durable.flatMap { self.file(key, in: $0) }
            #expect(file?.outcome == .failed || file?.outcome == .done || file?.outcome == .late, "forgot \(key)")
        case .answer(let shot):
            #expect(shot == durable || hasAbandoned, "answered what is not durable")
            answers.append(shot)
            #expect(answers.count == 1)
        case .giveUp(let problem):
            #expect(durable == nil && answers.isEmpty && !hasGivenUp && problem.code == .inputOutput)
            hasGivenUp = true
        case .overdue(let shot): #expect(shot == durable && shot.take != nil)
        case .settled(let shot): #expect(shot == durable && shot.status != .open)
        case .began(let shot): #expect(shot == durable && shot.hasBegunRecording)
        case .stopped(let time): #expect(durable?.take?.stopTime == time && machine.toldStop == time)
        case .marked(let mark): #expect(durable?.take?.marks.contains(mark) == true)
        case .progress(let progress): #expect(progress.phases.values.reduce(0, +) == devices.count)
        case .warn(let key, _): #expect(devices.contains(key.device))
        }
    }

    /// Armed cameras, and such as owe a file.
    private func checkFire(_ node: NodeName, _ asked: [DeviceID], _ machine: ShotMachine) {
        let owing = machine.shot.captures.filter { capture in
            capture.phase == .captured
                && capture.files.contains { $0.kind.isMadeLater && $0.outcome == .pending && $0.digest == nil }
        }
        let armed = asked.filter { device in !owing.contains { $0.device.id == device } }
        checkRequest(node, armed, [.armed], machine)
    }

    private mutating func checkWrite(_ shot: Shot) {
        #expect(outstanding == nil, "two writes at once")
        #expect(shot.revision > (durable?.revision ?? -1))
        outstanding = shot
    }

    private func checkRequest(
        _ node: NodeName, _ asked: [DeviceID], _ phases: Set<Capture.Phase>, _ machine: ShotMachine
    ) {
        #expect(durable != nil, "a node heard of a shot that is not recorded")
        #expect(!hasGivenUp || phases == [.missed], "a node was asked for a shot that was given up")
        #expect(connected.contains(node))
        for device in asked {
            #expect(device.node == node && devices.contains(device))
            let phase = machine.shot.captures.first { $0.device.id == device }?.phase
            #expect(phase.map(phases.contains) == true)
        }
    }

    private func file(_ key: FileKey, in shot: Shot) -> CapturedFile? {
        shot.captures.first { $0.device.id == key.capture.device }?.files.first { $0.kind == key.kind }
    }

    private func checkCaptures(_ shot: Shot) {
        #expect(shot.captures.map(\.device.id) == previous.captures.map(\.device.id))
        for (before, after) in zip(previous.captures, shot.captures) {
            if before.phase == .done { #expect(after.phase == .done, "a done capture was lost") }
            if before.files[0].path != nil { #expect(after.files[0].path == before.files[0].path) }
            #expect((after.problem != nil) == [.missed, .failed, .partial].contains(after.phase))
            if before.phase == .partial { #expect([.partial, .done].contains(after.phase), "a photo was lost") }
            #expect(after.files.map(\.outcome).allSatisfy(outcomes(after.phase).contains))
            if after.phase == .done { #expect(after.files.allSatisfy { $0.digest != nil && $0.path != nil }) }
        }
        guard shot.status != previous.status || shot.settledAt != nil else { return }
        #expect((shot.settledAt == nil) == (shot.status == .open))
        #expect((shot.status == .complete) == shot.captures.allSatisfy { $0.phase == .done })
        #expect((shot.status == .open) == shot.captures.contains { !$0.isSettled })
    }

    private func outcomes(_ phase: Capture.Phase) -> Set<CapturedFile.Outcome> {
        switch phase {
        case .preparing, .armed: [.pending]
        case .captured: [.pending, .done, .late, .failed]
        case .done: [.done, .late]
        case .partial: [.failed, .done, .late]
        case .missed: [.missed]
        case .failed: [.failed, .done, .late]
        }
    }
}
