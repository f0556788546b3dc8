import CaptureModel
import RigTestSupport
import ShotLogic
import Testing

@testable import RigCore

/// The shots in progress and the clients that wait for them, without a rig.
@Suite struct OpenShotsTests {
    private let camera: DeviceID
    private let start = RigTime(nanoseconds: 1_000_000_000)
    private let due = LocalTime(nanoseconds: 11_000_000_000)

    init() throws {
        camera = try DeviceID("north/cam")
    }

    private func shot(_ number: Int64 = 1, settings: PhotoSettings = PhotoSettings()) throws -> Shot {
        Shot(
            id: Samples.shot(number), time: start, rigClock: RigClockID(rawValue: "rig-1"),
            wallClock: WallClockPair(monotonic: start, realtimeNanoseconds: 5_000_000_000),
            coordinatorEpoch: Samples.epoch(7), request: ShotRequest(selection: Selection(), settings: settings),
            prediction: SpreadPrediction(spread: .milliseconds(3), bound: nil, cameras: 2, shift: .zero),
            captures: [Capture(device: try Samples.device("north/cam").description, kinds: [.photo])])
    }

    private let schedule = ShotSchedule(
        time: RigTime(nanoseconds: 1_000_000_000), now: RigTime(nanoseconds: 1_000_000_000), arming: .seconds(1),
        grace: .seconds(3), timeout: .seconds(10))

    private func begun(_ shot: Shot) -> ShotInProgress {
        ShotInProgress(
            machine: ShotMachine(taking: shot, connected: [camera.node], schedule: schedule),
            leftOut: nil, answerDue: due)
    }

    private func resumed(_ shot: Shot) -> ShotInProgress {
        ShotInProgress(
            resuming: ShotMachine(resuming: shot, rigClock: shot.rigClock, schedule: schedule), from: nil)
    }

    /// A shot of which nothing is outstanding.
    private func settled(_ number: Int64 = 1) throws -> Shot {
        var shot = try shot(number)
        (shot.captures[0].phase, shot.captures[0].files[0].outcome) = (.missed, .missed)
        shot.status = .failed
        return shot
    }

    /// The notices that a client has got, as words, which end with its answer.
    private func words(_ notices: AsyncStream<ShotNotice>) async -> [String] {
        var words: [String] = []
        for await notice in notices {
            switch notice {
            case .progress(_, let shot, let due):
                words.append("progress \(shot.prediction != nil) \(due != nil)")
            case .answer: words.append("answer")
            case .refused(let problem): words.append(problem.code.rawValue)
            }
        }
        return words
    }

    private func watch(
        _ shots: OpenShots, _ id: ShotID, untilBeginning: Bool = false
    ) throws -> AsyncStream<ShotNotice> {
        let notices = shots.watch(id, untilBeginning: untilBeginning, due: nil)
        return try #require(notices)
    }

    private func watchEnd(
        _ shots: OpenShots, _ id: ShotID, _ requester: UInt8 = 1
    ) throws -> AsyncStream<ShotNotice> {
        let notices = shots.watchEnd(of: id, for: Samples.requester(requester))
        return try #require(notices)
    }

    /// The shot ends without a picture, and its manifests are durable.
    private func finish(_ shots: OpenShots, _ id: ShotID) {
        var actions = shots.handle(.begin, of: id, at: start) ?? []
        var hasMissed = false
        while true {
            let written = actions.compactMap { if case .writeManifest(let shot) = $0 { shot.revision } else { nil } }
            if let revision = written.first {
                actions = shots.handle(.manifestDurable(revision: revision), of: id, at: start) ?? []
            } else if !hasMissed {
                hasMissed = true
                actions = shots.handle(.refused(camera, RigProblem(.conflict, "no")), of: id, at: start) ?? []
            } else {
                return
            }
        }
    }

    @Test func `A client that waits sees the progress at once, and then the answer`() async throws {
        let shots = OpenShots()
        shots.begin(begun(try shot()))
        let id = Samples.shot()
        let notices = try watch(shots, id)
        #expect(shots[id]?.isWatched == true)
        #expect(shots.changedPriority(of: id) == true)
        #expect(shots.changedPriority(of: id) == nil, "told once")
        shots.dropIfFinished(id)
        #expect(shots.ids == [id] && !shots.isEmpty)
        finish(shots, id)
        let words = await words(notices)
        #expect(words.first == "progress true true" && words.last == "answer")
        #expect(shots[id]?.shot.status == .failed)
        #expect(shots.changedPriority(of: id) == false)
        shots.dropIfFinished(id)
        #expect(shots.isEmpty)
        #expect(shots.handle(.begin, of: id, at: start) == nil)
        let late = shots.watch(id, untilBeginning: false, due: nil)
        #expect(late == nil)
    }

    @Test func `A shot that somebody waits for is not dropped`() throws {
        let shots = OpenShots()
        shots.begin(resumed(try settled()))
        let id = Samples.shot()
        _ = shots.handle(.begin, of: id, at: start)
        let waits = try watchEnd(shots, id)
        shots.dropIfFinished(id)
        #expect(shots.ids == [id])
        _ = waits
    }

    @Test func `The newest request for the end of a take is answered, and an earlier one refused`() async throws {
        let shots = OpenShots()
        shots.begin(begun(try shot()))
        let id = Samples.shot()
        let first = try watchEnd(shots, id, 1)
        let second = try watchEnd(shots, id, 1)
        let other = try watchEnd(shots, id, 2)
        #expect(shots[id]?.stopperCount == 2)
        finish(shots, id)
        #expect(await words(first) == ["progress true false", "conflict"])
        for notices in [second, other] {
            let words = await words(notices)
            #expect(words.first == "progress true false" && words.last == "answer")
        }
    }

    @Test func `No more clients wait for a shot than its limit`() throws {
        let shots = OpenShots()
        shots.begin(begun(try shot()))
        let id = Samples.shot()
        var waiting: [AsyncStream<ShotNotice>] = []
        for _ in 0..<ShotInProgress.watcherLimit {
            waiting.append(try watch(shots, id, untilBeginning: waiting.count % 2 == 0))
        }
        let further = shots.watch(id, untilBeginning: false, due: nil)
        let end = shots.watchEnd(of: id, for: Samples.requester())
        #expect(further == nil && end == nil)
    }

    @Test func `The first result of a shot is counted, and none of one that had its result before`() throws {
        let shots = OpenShots()
        let (new, late) = (try shot(1), try settled(2))
        shots.begin(begun(new))
        shots.begin(resumed(late))
        #expect(shots[late.id]?.isLate == true && shots[new.id]?.isLate == false)
        for _ in 1...2 {
            shots.countResult(of: try settled(1))
            shots.countResult(of: late)
        }
        var counts = ShotCounts()
        counts.count(try settled(1))
        #expect(shots.counts == counts)
    }

    @Test func `Shots that wait for their result have a limit, and reopened ones another`() throws {
        let shots = OpenShots()
        for number in 1...Int64(OpenShots.limit) { shots.begin(begun(try shot(number))) }
        let problem = #expect(throws: RigProblem.self) { try shots.requireRoom() }
        #expect(problem?.code == .noMemory)
        let late = OpenShots()
        for number in 1...Int64(OpenShots.lateLimit) {
            #expect(late.hasRoomForLate)
            late.begin(resumed(try settled(number)))
        }
        #expect(!late.hasRoomForLate)
        #expect(throws: Never.self) { try late.requireRoom() }
        #expect(shots.hasRoomForLate && shots.count == OpenShots.limit)
    }

    @Test func `The only take that records is the one that is meant`() throws {
        let shots = OpenShots()
        #expect(throws: RigProblem(.unknownShot, "nothing is being recorded; `capctl record start` begins a take")) {
            try shots.recordingTake()
        }
        var settings = PhotoSettings()
        settings.movie = MovieSettings()
        shots.begin(begun(try shot(1)))
        shots.begin(begun(try shot(2, settings: settings)))
        #expect(try shots.recordingTake() == Samples.shot(2))
        #expect(shots.openTakes.map(\.shot.id) == [Samples.shot(2)])
        shots.begin(begun(try shot(3, settings: settings)))
        let problem = #expect(throws: RigProblem.self) { try shots.recordingTake() }
        #expect(problem?.code == .conflict && problem?.message.hasPrefix("2 takes are being recorded") == true)
    }

    @Test func `Files that a device still has are those that are pending`() throws {
        let shots = OpenShots()
        shots.begin(begun(try shot(1)))
        shots.begin(resumed(try settled(2)))
        let key = FileKey(capture: CaptureKey(shot: Samples.shot(1), device: camera), kind: .photo)
        #expect(shots.pendingFiles(of: camera) == [key])
        #expect(shots.expects(key.capture) && !shots.expects(CaptureKey(shot: Samples.shot(9), device: camera)))
    }

    @Test func `Whoever waits for a mark is woken by the next event, and at once without a shot`() async throws {
        let shots = OpenShots()
        let id = Samples.shot()
        await withCheckedContinuation { shots.addMarker($0, to: id) }
        shots.begin(begun(try shot()))
        #expect(shots[id]?.markerCount == 0 && shots[id]?.hasRoomForMarker == true)
        await withCheckedContinuation { marker in
            shots.addMarker(marker, to: id)
            #expect(shots[id]?.markerCount == 1)
            shots.wakeMarkers(of: id)
        }
        #expect(shots[id]?.markerCount == 0)
    }
}
