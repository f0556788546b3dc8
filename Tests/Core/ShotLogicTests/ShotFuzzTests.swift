import CaptureModel
import CaptureTestSupport
import ShotLogic
import Testing

@Suite struct ShotFuzzTests {
    /// Every event at any time, repeated, stale, for strangers and with nonsense in it.
    @Test(arguments: 0..<40) func noOrderOfEventsBreaksAPromise(seed: UInt64) throws {
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
        case 19: return .reportRejected(device, try randomProblem())
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

    private mutating func randomProblem() throws -> CaptureProblem {
        CaptureProblem(try #require(CaptureProblem.Code.allCases.randomElement(using: &generator)), "At random.")
    }
}
