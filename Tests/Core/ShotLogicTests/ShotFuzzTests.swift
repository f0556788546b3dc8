import CaptureModel
import CaptureTestSupport
import ShotLogic
import Testing

@Suite struct ShotFuzzTests {
    /// Every event at any time, repeated, stale, for strangers and with nonsense in it.
    @Test(arguments: TestExtent.some(10, of: UInt64(0)..<40)) func noOrderOfEventsBreaksAPromise(seed: UInt64) throws {
        for round in 0..<25 {
            var run = try RandomRun(seed: seed &* 1000 &+ UInt64(round))
            try run.playAtRandom(events: 120)
            try run.playToTheEnd()
        }
    }
}

/// A machine that is fed random events, and then whatever lets it finish.
private struct RandomRun {
    var generator: SeededGenerator
    var machine: ShotMachine
    var invariants: MachineInvariants
    var now = Sample.at(0)
    var collecting: [FileKey] = []
    let devices = ["a/cam0", "a/cam1", "b/cam0", "c/cam0", "x/cam9"]

    init(seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        let wish = [nil, LivePhotoRequest.whereEnabled, .required].randomElement(using: &generator) ?? nil
        var shot = try Sample.shot(
            Array(devices.dropLast()), requireAll: Int.random(in: 0..<3, using: &generator) == 0, livePhoto: wish)
        var schedule = Sample.schedule
        if Bool.random(using: &generator) {
            schedule.answerDeadline = Sample.at(Double.random(in: 0..<8, using: &generator))
        }
        if Int.random(in: 0..<4, using: &generator) == 0 {
            for index in shot.captures.indices where Bool.random(using: &generator) {
                shot.captures[index].phase = .armed
            }
            let clock = Bool.random(using: &generator) ? Sample.clock : RigClockID(rawValue: "boot-b")
            machine = ShotMachine(resuming: shot, rigClock: clock, schedule: schedule)
            invariants = MachineInvariants(machine, connected: [])
        } else {
            let connected = Set(try ["a", "b"].map { try NodeName($0) })
            machine = ShotMachine(taking: shot, connected: connected, schedule: schedule)
            invariants = MachineInvariants(machine, connected: connected)
        }
        send(.begin)
    }

    mutating func send(_ event: ShotEvent) {
        let actions = machine.handle(event, at: now)
        for case .collect(let key, _, _) in actions { collecting.append(key) }
        invariants.check(event, actions, machine)
    }

    mutating func playAtRandom(events: Int) throws {
        for _ in 0..<events {
            now = now + .milliseconds(Int.random(in: 0..<150, using: &generator))
            send(try randomEvent())
        }
    }

    /// Time out everything, lose what is being collected, and let the journal keep up.
    mutating func playToTheEnd() throws {
        for _ in 0..<200 {
            if let outstanding = invariants.outstanding {
                send(.manifestDurable(revision: outstanding.revision))
            } else if let (device, file) = unmade {
                // A node ends everything that it owes.
                send(.storingFailed(key(device, file.kind), .init(.fileLost, "Gone.")))
            } else if let deadline = machine.nextDeadline {
                now = max(now, deadline)
                send(.deadlinePassed)
                #expect(machine.nextDeadline.map { $0 > now } ?? true, "the caller would spin")
            } else if let open = machine.shot.captures.first(where: { $0.phase == .captured }),
                let file = open.files.first(where: { $0.outcome == .pending })
            {
                send(.storingFailed(key(open.device.id, file.kind), .init(.fileLost, "Gone.")))
            } else {
                break
            }
        }
        #expect(machine.isFinished)
        #expect(machine.shot.captures.allSatisfy { $0.isSettled })
        #expect(invariants.durable == machine.shot)
        #expect(invariants.answers.count == 1)
    }

    /// A file that was never announced as there.
    private var unmade: (DeviceID, CapturedFile)? {
        for capture in machine.shot.captures where capture.phase == .captured {
            if let file = capture.files.first(where: { $0.outcome == .pending && $0.digest == nil }) {
                return (capture.device.id, file)
            }
        }
        return nil
    }

    private func key(_ device: DeviceID, _ kind: AssetKind) -> FileKey {
        FileKey(capture: CaptureKey(shot: machine.shot.id, device: device), kind: kind)
    }

    private mutating func randomEvent() throws -> ShotEvent {
        let device = try DeviceID(devices.randomElement(using: &generator) ?? "a/cam0")
        let key = key(device, Bool.random(using: &generator) ? .photo : .pairedVideo)
        switch Int.random(in: 0..<24, using: &generator) {
        case 0...2: return .armed(device, Bool.random(using: &generator) ? Sample.live : Sample.resolved)
        case 3: return .refused(device, try randomProblem())
        case 4...6: return .captured(try randomReport(device))
        case 7: return .captureMissed(device, try randomProblem())
        case 8...9:
            return .stored(collecting.randomElement(using: &generator) ?? key, path: "p\(now.nanoseconds)", at: now)
        case 10: return .storingFailed(collecting.randomElement(using: &generator) ?? key, try randomProblem())
        case 11...12: return try randomHello()
        case 13: return .nodeDisconnected(device.node)
        case 14: return .deadlinePassed
        case 15 where Int.random(in: 0..<20, using: &generator) == 0: return .cancelRequested
        case 16: return .manifestFailed(revision: machine.shot.revision, try randomProblem())
        case 17: return .begin
        case 19:
            var report = try randomReport(device)
            report.doubts = [DoubtedClaim(.midExposure, .wrong, "too far"), DoubtedClaim(.clip, .wrong, "too long")]
            return .captured(report)
        case 22: return .offered(try randomReport(device))
        case 23: return .discarded(device, .init(.discarded, "Discarded."))
        case 18: return .manifestDurable(revision: Int.random(in: -1..<50, using: &generator))
        default: return .manifestDurable(revision: machine.shot.revision)
        }
    }

    private mutating func randomHello() throws -> ShotEvent {
        let node = try NodeName(["a", "b", "c", "x"].randomElement(using: &generator) ?? "a")
        var inventory: [CaptureReport] = []
        for device in try devices.map({ try DeviceID($0) }) where device.node == node {
            if Bool.random(using: &generator) { inventory.append(try randomReport(device)) }
        }
        return .nodeConnected(node, epochChanged: Bool.random(using: &generator), inventory: inventory)
    }

    private mutating func randomReport(_ device: DeviceID) throws -> CaptureReport {
        let isOdd = Int.random(in: 0..<8, using: &generator) == 0
        var report = Sample.report(machine.shot.id, device, digest: try Sample.digest(isOdd ? 2 : 1))
        if Bool.random(using: &generator) { report.resolved = Sample.live }
        switch Int.random(in: 0..<6, using: &generator) {
        case 0...1: report.owed = [.pairedVideo]
        case 2...3:
            report.files.append(
                SpooledFile(kind: .pairedVideo, byteCount: 5000, digest: try Sample.digest(isOdd ? 4 : 3)))
        case 4: report.failed = [FailedFile(kind: .pairedVideo, problem: try randomProblem())]
        default: break
        }
        switch Int.random(in: 0..<16, using: &generator) {
        case 0: report.files = []
        case 1 where !report.files.isEmpty: report.files[0].byteCount = .random(in: -5...0, using: &generator)
        case 2: report.files += report.files
        case 3: report.key.shot = ShotID(unixMilliseconds: 1, using: &generator)
        default: break
        }
        return report
    }

    private mutating func randomProblem() throws -> RigProblem {
        RigProblem(try #require(RigProblem.Code.allCases.randomElement(using: &generator)), "At random.")
    }
}

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
        case .finished(let shot): #expect(shot == durable && shot.status != .open)
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
