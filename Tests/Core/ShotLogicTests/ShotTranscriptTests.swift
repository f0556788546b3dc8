import CaptureModel
import ShotLogic
import Testing

@Suite struct ShotTranscriptTests {
    @Test func aTriggerOfTwoNodesRunsFromPrepareToComplete() throws {
        var desk = try Desk(["a/cam0", "a/cam1", "b/cam0"])
        #expect(try desk.send(.begin) == [prepare("a", "a/cam0", "a/cam1"), prepare("b", "b/cam0")])
        #expect(try desk.arm("a/cam0") == [])
        #expect(try desk.arm("b/cam0") == [])
        #expect(try desk.arm("a/cam1") == [fire("a", "a/cam0", "a/cam1"), fire("b", "b/cam0")])
        for device in ["a/cam0", "a/cam1", "b/cam0"] {
            #expect(
                try desk.capture(device) == [.collect(desk.file(device), byteCount: 1000, digest: Sample.digest(1))])
        }
        #expect(try desk.store("a/cam0") == [.release(desk.file("a/cam0"), Sample.digest(1))])
        #expect(try desk.store("a/cam1") == [.release(desk.file("a/cam1"), Sample.digest(1))])
        #expect(desk.answers.isEmpty)
        #expect(try desk.store("b/cam0", at: 1.4) == [.release(desk.file("b/cam0"), Sample.digest(1))])
        #expect(desk.answers == [desk.shot])
        #expect(desk.settled == [desk.shot])
        #expect(desk.shot.status == .complete)
        #expect(desk.shot.settledAt == Sample.at(1.4))
        #expect(desk.machine.isFinished)
        #expect(desk.machine.nextDeadline == nil)
        #expect(desk.manifests.map(\.revision) == Array(0..<desk.manifests.count))
    }

    @Test func nothingIsPreparedBeforeTheFirstManifestIsDurable() throws {
        var machine = ShotMachine(
            taking: try Sample.shot(["a/cam0"]), connected: [try NodeName("a")], schedule: Sample.schedule)
        let first = machine.shot
        #expect(machine.handle(.begin, at: Sample.at(0)) == [.writeManifest(first)])
        #expect(first.revision == 0)
        #expect(machine.handle(.manifestDurable(revision: 3), at: Sample.at(0)) == [])
        #expect(try machine.handle(.armed(DeviceID("a/cam0"), Sample.resolved), at: Sample.at(0)) == [])
        #expect(try machine.handle(.manifestDurable(revision: 0), at: Sample.at(0)) == [prepare("a", "a/cam0")])
    }

    @Test func changesDuringAWriteBecomeOneFurtherRevision() throws {
        var machine = try firedMachine(["a/cam0", "a/cam1", "a/cam2"])
        var written: [Shot] = []
        for device in ["a/cam0", "a/cam1", "a/cam2"] {
            let report = try Sample.report(machine.shot, device)
            written += machine.handle(.captured(report), at: Sample.at(1.1)).manifests
        }
        #expect(written.count == 1)
        let next = machine.handle(.manifestDurable(revision: written[0].revision), at: Sample.at(1.2)).manifests
        #expect(next.map(\.revision) == [written[0].revision + 1])
        #expect(next.allSatisfy { $0.captures.allSatisfy { $0.phase == .captured } })
    }

    @Test func changesOfAnOpenShotWaitForOneAnotherAndASettledOneDoesNotWait() throws {
        var schedule = Sample.schedule
        schedule.writeDelay = .milliseconds(100)
        var desk = try Desk(["a/cam0", "a/cam1"], schedule: schedule)
        desk.send(.begin)
        try desk.arm("a/cam0", at: 0.5)
        try desk.arm("a/cam1", at: 0.55)
        #expect(desk.manifests.count == 1)
        #expect(desk.machine.nextDeadline == Sample.at(0.6))
        desk.send(.deadlinePassed, at: 0.6)
        #expect(desk.manifests.last?.captures.map(\.phase) == [.armed, .armed])
        try desk.capture("a/cam0", at: 1)
        try desk.capture("a/cam1", at: 1)
        try desk.store("a/cam0", at: 1.01)
        #expect(desk.manifests.count == 2)
        try desk.store("a/cam1", at: 1.02)
        #expect(desk.manifests.last?.status == .complete)
        #expect(desk.manifests.count == 3)
    }

    @Test func aShotAnsweredAtItsTimeoutStaysAnsweredAfterARestart() throws {
        var machine = try firedMachine(["a/cam0"], answerAt: 3)
        let actions = machine.handle(.deadlinePassed, at: Sample.at(3))
        #expect(actions.count { $0.isAnswer } == 1)
        let resumed = ShotMachine(resuming: machine.shot, rigClock: machine.shot.rigClock, schedule: Sample.schedule)
        #expect(resumed.answeredShot != nil)
    }

    @Test func aSpoolCopyIsKeptUntilTheManifestThatNamesTheFileIsDurable() throws {
        var machine = try firedMachine(["a/cam0"])
        let key = FileKey(capture: CaptureKey(shot: machine.shot.id, device: try DeviceID("a/cam0")), kind: .photo)
        let captured = machine.handle(.captured(try Sample.report(machine.shot, "a/cam0")), at: Sample.at(1.1))
        let stored = machine.handle(.stored(key, path: "p", at: Sample.at(1.2)), at: Sample.at(1.2))
        #expect(stored.allSatisfy { !$0.isRelease && !$0.isAnswer })
        let middle = machine.handle(.manifestDurable(revision: captured.manifests[0].revision), at: Sample.at(1.3))
        #expect(middle.allSatisfy { !$0.isRelease && !$0.isAnswer })
        let last = machine.handle(.manifestDurable(revision: middle.manifests[0].revision), at: Sample.at(1.4))
        #expect(last.contains(.release(key, try Sample.digest(1))))
        #expect(last.contains(.answer(middle.manifests[0])))
    }

    @Test func aRefusedCameraIsMissedWithItsReasonAndTheOthersFire() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        let problem = RigProblem(.notRunning, "Camera 'b/cam0' is not streaming.")
        #expect(try desk.send(.refused(DeviceID("b/cam0"), problem)) == [fire("a", "a/cam0")])
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        #expect(desk.shot.status == .partial)
        #expect(try desk.capture(of: "b/cam0").problem == problem)
        #expect(try desk.capture(of: "b/cam0").files.map(\.outcome) == [.missed])
    }

    @Test func aNodeThatIsAwayIsMissedAtOnceByName() throws {
        var desk = try Desk(["a/cam0", "gone/cam0"], away: ["gone"])
        #expect(try desk.send(.begin) == [prepare("a", "a/cam0")])
        #expect(try desk.capture(of: "gone/cam0").problem?.message.contains("'gone'") == true)
        #expect(desk.manifests[0].captures[1].phase == .missed)
        #expect(try desk.arm("a/cam0") == [fire("a", "a/cam0")])
    }

    @Test func whenEveryNodeIsAwayTheShotFailsAtOnceAndIsStillRecorded() throws {
        var desk = try Desk(["a/cam0"], away: ["a"])
        #expect(desk.send(.begin) == [])
        #expect(desk.answers.map(\.status) == [.failed])
        #expect(desk.manifests.count == 1)
        #expect(desk.machine.isFinished)
    }

    @Test func prepareIsRepeatedUntilTheDeadlineAndThenTheOthersFire() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0", at: 0.1)
        #expect(desk.machine.nextDeadline == Sample.at(0.5))
        #expect(try desk.send(.deadlinePassed, at: 0.5) == [prepare("b", "b/cam0")])
        #expect(desk.machine.nextDeadline == Sample.at(1))
        #expect(try desk.send(.deadlinePassed, at: 2) == [fire("a", "a/cam0")])
        let problem = try #require(try desk.capture(of: "b/cam0").problem)
        #expect(problem.code == .nodeUnreachable && problem.message.contains("is connected"), "\(problem.message)")
        #expect(try desk.send(.deadlinePassed, at: 2.5) == [fire("a", "a/cam0")])
    }

    @Test func aCameraThatArmsAfterItWasGivenUpReleasesItsPins() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        desk.send(.deadlinePassed, at: 2)
        #expect(try desk.arm("b/cam0", at: 2.1) == [cancel("b", "b/cam0")])
    }

    @Test func aSilentNodeIsMissedAndItsLatePictureStillArrives() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.arm("b/cam0")
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        desk.send(.deadlinePassed, at: 5)
        #expect(desk.answers.map(\.status) == [.partial])
        #expect(desk.problems() == [nil, .nodeUnreachable])
        let revision = desk.shot.revision

        #expect(
            try desk.capture("b/cam0", digest: 2, at: 60)
                == [.collect(desk.file("b/cam0"), byteCount: 1000, digest: Sample.digest(2))])
        #expect(desk.shot.status == .open)
        #expect(try desk.store("b/cam0", at: 61) == [.release(desk.file("b/cam0"), Sample.digest(2))])
        #expect(desk.shot.status == .complete)
        #expect(desk.shot.revision > revision)
        #expect(try desk.capture(of: "b/cam0").files.map(\.outcome) == [.late])
        #expect(try desk.capture(of: "b/cam0").problem == nil)
        #expect(desk.answers.count == 1)
        #expect(desk.settled.map(\.status) == [.partial, .complete])
    }

    @Test func aNodesOwnReasonReplacesItsSilence() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        desk.send(.deadlinePassed, at: 5)
        desk.send(.captureMissed(try DeviceID("a/cam0"), .init(.deviceLost, "Unplugged.")), at: 9)
        #expect(desk.problems() == [.deviceLost])
        #expect(desk.settled.map(\.status) == [.failed, .failed])
    }

    @Test func theClientsTimeoutEndsTheWaitingAndNotTheShot() throws {
        var schedule = Sample.schedule
        schedule.answerDeadline = Sample.at(1.5)
        var desk = try Desk(["a/cam0", "a/cam1"], schedule: schedule)
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.arm("a/cam1")
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        try desk.capture("a/cam1")
        desk.send(.deadlinePassed, at: 1.5)
        #expect(desk.answers.map(\.status) == [.open])
        #expect(desk.answers.first?.captures.map(\.phase) == [.done, .captured])
        try desk.store("a/cam1", at: 3)
        #expect(desk.shot.captures.flatMap(\.files).map(\.outcome) == [.done, .late])
        #expect(desk.shot.status == .complete)
        #expect(desk.answers.count == 1)
        #expect(desk.settled.count == 1)
    }

    @Test func aFileThatIsStoredButNotYetJournaledAtTheTimeoutIsLate() throws {
        var machine = try firedMachine(["a/cam0"], answerAt: 1.5)
        let key = FileKey(capture: CaptureKey(shot: machine.shot.id, device: try DeviceID("a/cam0")), kind: .photo)
        _ = machine.handle(.captured(try Sample.report(machine.shot, "a/cam0")), at: Sample.at(1.1))
        _ = machine.handle(.stored(key, path: "p", at: Sample.at(1.2)), at: Sample.at(1.2))
        let actions = machine.handle(.deadlinePassed, at: Sample.at(1.5))
        let answer = try #require(actions.compactMap(\.answer).first)
        #expect(answer.captures[0].files[0].outcome == .pending)
        #expect(machine.shot.captures[0].files[0].outcome == .late)
    }

    @Test func theLastProgressBeforeTheAnswerCountsEveryCaptureAsDone() throws {
        var machine = try firedMachine(["a/cam0", "a/cam1"])
        var seen: [ShotAction] = []
        var events: [ShotEvent] = []
        for device in ["a/cam0", "a/cam1"] {
            let key = FileKey(capture: CaptureKey(shot: machine.shot.id, device: try DeviceID(device)), kind: .photo)
            events.append(.captured(try Sample.report(machine.shot, device)))
            events.append(.stored(key, path: device, at: Sample.at(1.2)))
        }
        while !events.isEmpty {
            let actions = machine.handle(events.removeFirst(), at: Sample.at(1.2))
            seen += actions
            events += actions.manifests.map { .manifestDurable(revision: $0.revision) }
        }
        let first = seen.firstIndex { $0.isAnswer }
        let answer = try #require(first)
        #expect(Array(seen[..<answer]).progress.last?.phases == [.done: 2])
        #expect(Array(seen[answer...]).progress.isEmpty)
    }

    @Test func progressDoesNotSayDoneBeforeItIsDurable() throws {
        var machine = try firedMachine(["a/cam0"])
        let key = FileKey(capture: CaptureKey(shot: machine.shot.id, device: try DeviceID("a/cam0")), kind: .photo)
        let captured = machine.handle(.captured(try Sample.report(machine.shot, "a/cam0")), at: Sample.at(1.1))
        let stored = machine.handle(.stored(key, path: "p", at: Sample.at(1.2)), at: Sample.at(1.2))
        #expect(stored.progress.isEmpty)
        let middle = machine.handle(.manifestDurable(revision: captured.manifests[0].revision), at: Sample.at(1.3))
        #expect(middle.progress.isEmpty)
        let last = machine.handle(.manifestDurable(revision: middle.manifests[0].revision), at: Sample.at(1.4))
        #expect(last.progress.map(\.phases) == [[.done: 1]])
    }
}

/// A machine whose cameras, all of node `a`, are armed and told to fire, with everything durable.
func firedMachine(_ devices: [String], answerAt seconds: Double? = nil) throws -> ShotMachine {
    var schedule = Sample.schedule
    schedule.answerDeadline = seconds.map(Sample.at)
    var desk = try Desk(devices, schedule: schedule)
    desk.send(.begin)
    for device in devices { try desk.arm(device) }
    return desk.machine
}

extension ShotAction {
    var isRelease: Bool { if case .release = self { true } else { false } }
    var isAnswer: Bool { answer != nil }
    var answer: Shot? { if case .answer(let shot) = self { shot } else { nil } }
}

extension [ShotAction] {
    var manifests: [Shot] {
        compactMap { if case .writeManifest(let shot) = $0 { shot } else { nil } }
    }

    var progress: [ShotProgressReport] {
        compactMap { if case .progress(let progress) = $0 { progress } else { nil } }
    }
}
