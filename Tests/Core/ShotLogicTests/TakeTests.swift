import CaptureModel
import ShotLogic
import Testing

/// Takes: captures that owe a movie until somebody stops them.
@Suite struct TakeTests {
    private let mark = TakeMark(id: 7, time: Sample.at(2), text: "go")

    @Test func aTakeBeginsOnceEveryCameraRecordsOrSaysWhyNot() throws {
        var desk = try begun(["a/cam0", "b/cam0"], reporting: ["a/cam0"])
        #expect(desk.begun.isEmpty)
        desk.send(.captureMissed(try DeviceID("b/cam0"), .init(.noFrameNearTime, "No frame.")), at: 1.2)
        #expect(desk.begun.map { $0.captures.map(\.phase) } == [[.captured, .missed]])
        desk.send(.deadlinePassed, at: 1.4)
        #expect(desk.begun.count == 1 && desk.shot.status == .open && desk.answers.isEmpty)
    }

    @Test func aStopCountsOnce() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        #expect(
            try desk.send(.stopRequested(at: Sample.at(5)), at: 4.9) == [.stopped(Sample.at(5)), fire("a", "a/cam0")])
        #expect(desk.send(.stopRequested(at: Sample.at(6)), at: 5).isEmpty)
        #expect(desk.shot.take?.stopTime == Sample.at(5))
        #expect(desk.manifests.last?.take?.stopTime == Sample.at(5))
    }

    @Test func nodesHearOfAStopOnceItIsDurable() throws {
        var machine = try begun(["a/cam0"], reporting: ["a/cam0"]).machine
        let asked = machine.handle(.stopRequested(at: Sample.at(5)), at: Sample.at(4.9))
        let manifests = asked.compactMap { if case .writeManifest(let shot) = $0 { shot } else { nil } }
        let manifest = try #require(manifests.first)
        #expect(asked == [.writeManifest(manifest)] && manifest.take?.stopTime == Sample.at(5))
        #expect(machine.toldStop == nil)
        let told = machine.handle(.manifestDurable(revision: manifest.revision), at: Sample.at(4.95))
        #expect(try told == [.stopped(Sample.at(5)), fire("a", "a/cam0")])
        #expect(machine.toldStop == Sample.at(5))
    }

    @Test func aDiskThatDoesNotAnswerKeepsNoRecordingGoing() throws {
        var machine = try begun(["a/cam0"], reporting: ["a/cam0"]).machine
        _ = machine.handle(.stopRequested(at: Sample.at(5)), at: Sample.at(4.9))
        #expect(try #require(machine.nextDeadline) <= Sample.at(5))
        let told = machine.handle(.deadlinePassed, at: Sample.at(5))
        #expect(try told.contains(fire("a", "a/cam0")) && machine.toldStop == Sample.at(5))
    }

    @Test func aTakeThatIsResumedTellsItsStopAndOneThatHasSettledDoesNot() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        desk.send(.stopRequested(at: Sample.at(5)), at: 4.9)
        var resumed = Desk(resuming: try #require(desk.manifests.last))
        #expect(resumed.send(.begin, at: 5.2) == [.stopped(Sample.at(5))])
        resumed.send(.stopRequested(at: Sample.at(9)), at: 8)
        #expect(resumed.shot.take?.stopTime == Sample.at(5))
        desk.send(.captured(try report(desk.shot, "a/cam0")), at: 6)
        try desk.store("a/cam0", .movie(.first), at: 6.1)
        try desk.store("a/cam0", .frames(.first), at: 6.2)
        var settled = Desk(resuming: try #require(desk.manifests.last))
        #expect(settled.send(.begin, at: 7).isEmpty && settled.begun.isEmpty)
        settled.send(.stopRequested(at: Sample.at(9)), at: 8)
        #expect(settled.shot.take?.stopTime == Sample.at(5))
    }

    @Test func aTakeThatHadFailedAndIsOpenedAgainByItsNodeCanBeStopped() throws {
        var desk = try desk(["a/cam0"])
        desk.send(.deadlinePassed, at: 60)
        #expect(desk.shot.status == .failed && desk.settled.count == 1)
        var resumed = Desk(resuming: try #require(desk.manifests.last))
        resumed.send(.begin, at: 61)
        var recording = try Sample.report(desk.shot, "a/cam0", digest: 1)
        (recording.files, recording.owed) = ([], AssetKind.ofMovie)
        _ = try resumed.connect("a", inventory: [recording], at: 61)
        #expect(resumed.shot.status == .open && resumed.machine.toldStop == nil)
        #expect(
            try resumed.send(.stopRequested(at: Sample.at(63)), at: 62) == [
                .stopped(Sample.at(63)), fire("a", "a/cam0"),
            ])
        resumed.send(.captured(try report(desk.shot, "a/cam0")), at: 64)
        try resumed.store("a/cam0", .movie(.first), at: 64.1)
        try resumed.store("a/cam0", .frames(.first), at: 64.2)
        resumed.send(.deadlinePassed, at: 130)
        #expect(resumed.settled.last?.status == .complete, "who has stopped it is answered by this")
    }

    @Test(arguments: [
        (stop: 1.95, note: "its last frame is 50.0 ms after the stop, which its node had not received in time"),
        (stop: 2.1, note: nil), (stop: 1.999_995, note: nil),
        (stop: 5, note: "its last frame is 3000.0 ms before the stop"),
    ])
    func aMovieSaysHowFarFromTheStopItEnds(stop: Double, note: String?) throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        desk.send(.stopRequested(at: Sample.at(stop)), at: stop - 0.1)
        desk.send(.captured(try report(desk.shot, "a/cam0")), at: 6)
        #expect(try desk.capture(of: "a/cam0").movie?.note == note)
    }

    @Test(arguments: [
        (stop: 4.5, note: "its last frame is 3500.0 ms before the stop"), (stop: 1.05, note: nil),
    ])
    func aMovieOfOneFrameSaysHowFarFromTheStopItEndsToo(stop: Double, note: String?) throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        desk.send(.stopRequested(at: Sample.at(stop)), at: 1.01)
        var report = try report(desk.shot, "a/cam0")
        report.movie = RecordedMovie(frameCount: 1, durationNanoseconds: 0, end: .stopped)
        desk.send(.captured(report), at: 6)
        #expect(try desk.capture(of: "a/cam0").movie?.note == note)
    }

    @Test(arguments: [
        (
            stop: 1.9,
            note: "its last frame is 100.0 ms after the stop, which its node had not received in time, "
                + "or which is by the wall clock, since the rig time line of its take has ended"
        ), (stop: 9, note: nil),
    ])
    func aMovieOfARigTimeLineThatHasEndedSaysWhenItEndsAfterTheStop(stop: Double, note: String?) throws {
        let desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        var resumed = Desk(resuming: try #require(desk.manifests.last), rigClock: RigClockID(rawValue: "boot-b"))
        resumed.send(.begin, at: 1.5)
        resumed.send(.stopRequested(at: Sample.at(stop)), at: 1.8)
        let cut = RigProblem(.unsynchronized, "The recording was cut off.")
        resumed.send(.captured(try report(desk.shot, "a/cam0", problem: cut)), at: 6)
        #expect(try resumed.capture(of: "a/cam0").movie?.note == note)
    }

    @Test func aMovieOfAbsurdlyManyFramesIsTakenLikeAnyOther() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        desk.send(.stopRequested(at: Sample.at(5)), at: 4)
        var report = try report(desk.shot, "a/cam0")
        report.movie = RecordedMovie(frameCount: .max, missingFrames: 1, durationNanoseconds: 0, end: .stopped)
        desk.send(.captured(report), at: 6)
        let note = try desk.capture(of: "a/cam0").movie?.note
        #expect(note == "its last frame is 4000.0 ms before the stop")
    }

    @Test func aStopBeforeTheBeginningCancels() throws {
        var desk = try desk(["a/cam0"])
        #expect(
            try desk.send(.stopRequested(at: Sample.at(0.5)), at: 0.4) == [
                .cancel(NodeName("a"), [DeviceID("a/cam0")]), .stopped(Sample.at(0.5)),
            ])
        #expect(desk.shot.status == .failed && desk.phases() == [.missed])
    }

    @Test func aMovieThatEndedBeforeItsTimeMakesTheTakePartial() throws {
        let cut = RigProblem(.agentRestarted, "The agent was restarted.")
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        desk.send(.captured(try report(desk.shot, "a/cam0", problem: cut)), at: 6)
        try desk.store("a/cam0", .movie(.first), at: 6.1)
        try desk.store("a/cam0", .frames(.first), at: 6.2)
        #expect(desk.phases() == [.partial] && desk.shot.status == .partial)
        #expect(try desk.capture(of: "a/cam0").problem == cut)
        #expect(try desk.capture(of: "a/cam0").movie?.frameCount == 10)
    }

    @Test func aWholeMovieMakesTheTakeComplete() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        desk.send(.captured(try report(desk.shot, "a/cam0")), at: 6)
        try desk.store("a/cam0", .movie(.first), at: 6.1)
        #expect(desk.answers.isEmpty)
        try desk.store("a/cam0", .frames(.first), at: 6.2)
        #expect(desk.shot.status == .complete && desk.answers == [desk.shot])
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.done, .done])
    }

    @Test func filesOfARecordingAreCollectedAndReleasedWhileItGoesOn() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        let second = try #require(SegmentNumber.first.next)
        var report = try report(desk.shot, "a/cam0")
        report.movie = nil
        report.owed = AssetKind.ofRecording(second)
        let collecting = desk.send(.captured(report), at: 6)
        #expect(collecting.count { if case .collect = $0 { true } else { false } } == 2)
        var actions = try desk.store("a/cam0", .movie(.first), at: 6.1)
        actions += try desk.store("a/cam0", .frames(.first), at: 6.2)
        #expect(desk.phases() == [.captured] && desk.answers.isEmpty, "the recording goes on")
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == AssetKind.ofMovie + AssetKind.ofRecording(second))
        actions += desk.send(.deadlinePassed, at: 7)
        #expect(actions.contains { if case .release(let key, _) = $0 { key.kind == .movie(.first) } else { false } })
        #expect(try actions.contains(fire("a", "a/cam0")), "what is owed is asked for")

        // The node has forgotten what was released.
        var last = try self.report(desk.shot, "a/cam0")
        last.files = [
            SpooledFile(kind: .movie(second), byteCount: 50, digest: try Sample.digest(5)),
            SpooledFile(kind: .frames(second), byteCount: 5, digest: try Sample.digest(6)),
        ]
        desk.send(.captured(last), at: 8)
        try desk.store("a/cam0", .movie(second), at: 8.1)
        try desk.store("a/cam0", .frames(second), at: 8.2)
        #expect(desk.phases() == [.done] && desk.shot.status == .complete)
    }

    @Test func aLostFileOfARecordingDoesNotTakeTheOthersWithIt() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        let second = try #require(SegmentNumber.first.next)
        var report = try report(desk.shot, "a/cam0")
        let lost = RigProblem(.fileLost, "Nothing was on the disk yet.")
        report.failed = AssetKind.ofRecording(second).map { FailedFile(kind: $0, problem: lost) }
        var actions = desk.send(.captured(report), at: 6)
        actions += try desk.store("a/cam0", .movie(.first), at: 6.1)
        actions += try desk.store("a/cam0", .frames(.first), at: 6.2)
        #expect(desk.phases() == [.partial])
        #expect(try desk.capture(of: "a/cam0").problem == lost)
        actions += desk.send(.deadlinePassed, at: 7)
        #expect(actions.contains { if case .forget(let key) = $0 { key.kind == .movie(second) } else { false } })
    }

    @Test(arguments: [true, false])
    func aRecordingThatWasGivenUpForItsNodesTwinIsTakenUpAgain(isRecording: Bool) throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        var first = try report(desk.shot, "a/cam0")
        let second = try #require(SegmentNumber.first.next)
        (first.movie, first.owed) = (nil, AssetKind.ofRecording(second))
        desk.send(.captured(first), at: 2)
        // An agent of the same name has nothing of it.
        _ = try desk.connect("a", inventory: [], at: 3)
        #expect(desk.phases() == [.failed] && desk.shot.status == .failed)

        var last = first
        if !isRecording {
            // The third is one that nobody has told of before.
            let further = [second, try #require(second.next)].flatMap(AssetKind.ofRecording)
            last.files += try further.enumerated().map { number, kind in
                SpooledFile(kind: kind, byteCount: 50, digest: try Sample.digest(UInt8(5 + number)))
            }
            (last.movie, last.owed) = (try report(desk.shot, "a/cam0").movie, [])
        }
        let asked = try desk.connect("a", inventory: [last], at: 4)
        #expect(desk.phases() == [.captured] && desk.shot.status == .open)
        let collected = Set(asked.compactMap { if case .collect(let key, _, _) = $0 { key.kind } else { nil } })
        #expect(collected == Set(last.files.map(\.kind)))
        guard isRecording else {
            for file in last.files { try desk.store("a/cam0", file.kind, at: 5) }
            return #expect(desk.phases() == [.done] && desk.shot.status == .complete)
        }
        let stopped = desk.send(.stopRequested(at: Sample.at(6)), at: 5)
        #expect(try stopped.contains(fire("a", "a/cam0")), "its node hears of the stop")
    }

    @Test func aFileThatANodeHasLostIsToldOfThoughItsTwinNeverHadIt() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        let second = try #require(SegmentNumber.first.next)
        let cut = RigProblem(.agentRestarted, "The recording was cut off.")
        var report = try report(desk.shot, "a/cam0", problem: cut)
        desk.send(.captured(report), at: 6)
        for kind in AssetKind.ofMovie { try desk.store("a/cam0", kind, at: 6.1) }
        #expect(desk.phases() == [.partial] && desk.shot.status == .partial)

        let lost = RigProblem(.fileLost, "Nothing was on the disk yet.")
        report.failed = AssetKind.ofRecording(second).map { FailedFile(kind: $0, problem: lost) }
        report.files = []
        var actions = try desk.connect("a", inventory: [report], at: 7)
        actions += desk.send(.deadlinePassed, at: 8)
        let forgotten = actions.compactMap { if case .forget(let key) = $0 { key.kind } else { nil } }
        #expect(Set(forgotten) == Set(AssetKind.ofRecording(second)))
        #expect(desk.phases() == [.partial] && desk.shot.status == .partial)
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.done, .done, .failed, .failed])
    }

    @Test func aMarkThatIsSetTwiceIsOne() throws {
        var desk = try begun(["a/cam0"], reporting: ["a/cam0"])
        var told = desk.send(.marked(mark), at: 2)
        told += desk.send(.marked(mark), at: 2.1)
        told += desk.send(.deadlinePassed, at: 2.5).filter { if case .marked = $0 { true } else { false } }
        #expect(desk.manifests.last?.take?.marks == [mark])
        #expect(told == [.marked(mark)])
    }

    private func fire(_ node: String, _ device: String) throws -> ShotAction {
        .fire(try NodeName(node), [try DeviceID(device)])
    }

    private func desk(_ devices: [String]) throws -> Desk {
        var shot = try Sample.shot(devices)
        shot.request.settings = PhotoSettings(movie: MovieSettings())
        shot.take = Take()
        for index in shot.captures.indices {
            shot.captures[index].files = AssetKind.ofMovie.map { CapturedFile(kind: $0) }
        }
        var desk = Desk(taking: shot)
        desk.send(.begin)
        for device in devices { try desk.arm(device) }
        return desk
    }

    private func begun(_ devices: [String], reporting: [String]) throws -> Desk {
        var desk = try desk(devices)
        for device in reporting {
            var begun = try Sample.report(desk.shot, device, digest: 1)
            (begun.files, begun.owed) = ([], AssetKind.ofMovie)
            desk.send(.captured(begun), at: 1.1)
        }
        desk.send(.deadlinePassed, at: 1.3)
        return desk
    }

    private func report(_ shot: Shot, _ device: String, problem: RigProblem? = nil) throws -> CaptureReport {
        var report = try Sample.report(shot, device, digest: 1)
        report.files = [
            SpooledFile(kind: .movie(.first), byteCount: 5000, digest: try Sample.digest(3)),
            SpooledFile(kind: .frames(.first), byteCount: 500, digest: try Sample.digest(4)),
        ]
        report.movie = RecordedMovie(
            frameCount: 10, durationNanoseconds: 1_000_000_000, end: problem == nil ? .stopped : .agentRestarted,
            problem: problem)
        return report
    }
}
