import CaptureModel
import ShotLogic
import Testing

/// A machine with a journal that is always in time: every manifest is durable at once, and the actions that follow come
/// with the event that caused it. `writeManifest` and `progress` are left out of what it returns.
struct Desk {
    var machine: ShotMachine
    var manifests: [Shot] = []
    var progress: [ShotProgressReport] = []
    var answers: [Shot] = []
    var settled: [Shot] = []
    /// Takes, as they had begun.
    var begun: [Shot] = []

    init(
        _ devices: [String], requireAll: Bool = false, livePhoto: LivePhotoRequest? = nil,
        motionPhoto: Bool? = nil, away: [String] = [], schedule: ShotSchedule = Sample.schedule
    ) throws {
        let shot = try Sample.shot(devices, requireAll: requireAll, livePhoto: livePhoto, motionPhoto: motionPhoto)
        let nodes = Set(shot.captures.map(\.device.id.node)).subtracting(try away.map { try NodeName($0) })
        machine = ShotMachine(taking: shot, connected: nodes, schedule: schedule)
    }

    /// With every node connected.
    init(taking shot: Shot) {
        machine = ShotMachine(
            taking: shot, connected: Set(shot.captures.map(\.device.id.node)), schedule: Sample.schedule)
    }

    init(resuming shot: Shot, rigClock: RigClockID = Sample.clock, schedule: ShotSchedule = Sample.schedule) {
        machine = ShotMachine(resuming: shot, rigClock: rigClock, schedule: schedule)
    }

    var shot: Shot { machine.shot }

    @discardableResult
    mutating func send(_ event: ShotEvent, at seconds: Double = 0) -> [ShotAction] {
        var results: [ShotAction] = []
        var events = [event]
        while !events.isEmpty {
            for action in machine.handle(events.removeFirst(), at: Sample.at(seconds)) {
                switch action {
                case .writeManifest(let manifest):
                    manifests.append(manifest)
                    events.append(.manifestDurable(revision: manifest.revision))
                case .progress(let step): progress.append(step)
                case .answer(let answer): answers.append(answer)
                case .finished(let shot): settled.append(shot)
                case .began(let shot): begun.append(shot)
                default: results.append(action)
                }
            }
        }
        return results
    }

    @discardableResult
    mutating func arm(_ device: String, at seconds: Double = 0) throws -> [ShotAction] {
        send(.armed(try DeviceID(device), Sample.resolved), at: seconds)
    }

    @discardableResult
    mutating func capture(_ device: String, digest: UInt8 = 1, at seconds: Double = 1.1) throws -> [ShotAction] {
        send(.captured(try Sample.report(shot, device, digest: digest)), at: seconds)
    }

    @discardableResult
    mutating func store(
        _ device: String, _ kind: AssetKind = .photo, at seconds: Double = 1.2
    ) throws -> [ShotAction] {
        let path = "\(device)/\(kind.fileName)"
        return send(.stored(try file(device, kind), path: path, at: Sample.at(seconds)), at: seconds)
    }

    @discardableResult
    mutating func connect(
        _ node: String, inventory: [CaptureReport] = [], epochChanged: Bool = true, at seconds: Double = 1.5
    )
        throws -> [ShotAction]
    {
        send(.nodeConnected(try NodeName(node), epochChanged: epochChanged, inventory: inventory), at: seconds)
    }

    func file(_ device: String, _ kind: AssetKind = .photo) throws -> FileKey {
        FileKey(capture: CaptureKey(shot: shot.id, device: try DeviceID(device)), kind: kind)
    }

    func capture(of device: String) throws -> Capture {
        let id = try DeviceID(device)
        return try #require(shot.captures.first { $0.device.id == id })
    }

    func phases() -> [Capture.Phase] {
        shot.captures.map(\.phase)
    }

    func problems() -> [RigProblem.Code?] {
        shot.captures.map(\.problem?.code)
    }
}

/// Short forms for the expected actions of a transcript.
func prepare(_ node: String, _ devices: String...) throws -> ShotAction {
    .prepare(try NodeName(node), try devices.map { try DeviceID($0) })
}

func fire(_ node: String, _ devices: String...) throws -> ShotAction {
    .fire(try NodeName(node), try devices.map { try DeviceID($0) })
}

func cancel(_ node: String, _ devices: String...) throws -> ShotAction {
    .cancel(try NodeName(node), try devices.map { try DeviceID($0) })
}

@Suite struct RequireAllTests {
    @Test func oneRefusalCancelsEveryoneAndTheCulpritKeepsItsReason() throws {
        var desk = try Desk(["a/cam0", "b/cam0", "c/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("a/cam0")
        let problem = RigProblem(.noSpace, "The spool of node 'b' is full.")
        let actions = try desk.send(.refused(DeviceID("b/cam0"), problem))
        #expect(try actions == [cancel("a", "a/cam0"), cancel("c", "c/cam0")])
        #expect(desk.problems() == [.cancelled, .noSpace, .cancelled])
        #expect(try desk.capture(of: "a/cam0").problem?.message.contains(problem.message) == true)
        #expect(desk.answers.map(\.status) == [.failed])
        #expect(try desk.arm("c/cam0") == [cancel("c", "c/cam0")])
    }

    @Test func nobodyIsPreparedWhenANodeIsAway() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true, away: ["b"])
        #expect(desk.send(.begin) == [])
        #expect(desk.problems() == [.cancelled, .nodeUnreachable])
        #expect(desk.answers.map(\.status) == [.failed])
    }

    @Test func silenceUntilTheDeadlineCancels() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("a/cam0")
        #expect(try desk.send(.deadlinePassed, at: 2) == [cancel("a", "a/cam0")])
        #expect(desk.problems() == [.cancelled, .nodeUnreachable])
    }

    @Test func anArmedCameraWhoseNodeHasGoneIsNotFiredAt() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("b/cam0")
        desk.send(.nodeDisconnected(try NodeName("b")))
        #expect(try desk.arm("a/cam0") == [])
        #expect(try desk.send(.deadlinePassed, at: 2) == [cancel("a", "a/cam0")])
        #expect(desk.problems() == [.cancelled, .nodeUnreachable])
    }

    @Test func allArmedFires() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], requireAll: true)
        desk.send(.begin)
        try desk.arm("a/cam0")
        #expect(try desk.arm("b/cam0") == [fire("a", "a/cam0"), fire("b", "b/cam0")])
        try desk.send(.refused(DeviceID("b/cam0"), .init(.deviceLost, "Unplugged.")), at: 1)
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        #expect(desk.shot.status == .partial)
    }

    @Test func aPictureOfACancelledShotIsNotTaken() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        #expect(try desk.send(.cancelRequested) == [cancel("a", "a/cam0"), cancel("b", "b/cam0")])
        #expect(desk.problems() == [.cancelled, .cancelled])
        #expect(try desk.capture("a/cam0") == [cancel("a", "a/cam0")])
        #expect(desk.problems() == [.cancelled, .cancelled])
    }

    @Test func cancellingKeepsWhatHasBeenCaptured() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.arm("b/cam0")
        try desk.capture("a/cam0")
        #expect(try desk.send(.cancelRequested, at: 1.2) == [cancel("b", "b/cam0")])
        try desk.store("a/cam0")
        #expect(desk.phases() == [.done, .missed])
        #expect(desk.shot.status == .partial)
    }
}
