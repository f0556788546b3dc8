import CaptureModel
import ShotLogic
import Testing

@Suite struct RecoveryTests {
    @Test func anAgentKilledBetweenArmAndTIsAskedAgainAndItsRefusalSaysRestarted() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.arm("b/cam0")
        desk.send(.nodeDisconnected(try NodeName("b")))
        #expect(try desk.connect("b") == [prepare("b", "b/cam0")])
        try desk.send(.refused(DeviceID("b/cam0"), .init(.beforeRing, "T is older than the ring.")), at: 1.6)
        #expect(desk.problems() == [nil, .agentRestarted])
        #expect(try desk.capture(of: "b/cam0").problem?.message.contains("T is older than the ring.") == true)
    }

    @Test func aRestartedAgentThatCanStillArmIsFired() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.arm("b/cam0")
        try desk.connect("b", at: 0.5)
        #expect(try desk.arm("b/cam0", at: 0.6) == [fire("b", "b/cam0")])
    }

    @Test func aReconnectionDuringTheArmDeadlineDoesNotCostACapture() throws {
        var desk = try Desk(["a/cam0", "b/cam0"])
        desk.send(.begin)
        try desk.arm("b/cam0")
        try desk.connect("b", epochChanged: false, at: 1.9)
        desk.send(.deadlinePassed, at: 2)
        #expect(desk.phases() == [.missed, .preparing])
        #expect(try desk.send(.deadlinePassed, at: 2.4) == [prepare("b", "b/cam0")])
        #expect(try desk.arm("b/cam0", at: 2.5) == [fire("b", "b/cam0")])
    }

    @Test func aReportLostOnTheWayComesWithTheInventory() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        let report = try Sample.report(desk.shot, "a/cam0")
        #expect(
            try desk.connect("a", inventory: [report])
                == [.collect(desk.file("a/cam0"), byteCount: 1000, digest: Sample.digest(1))])
    }

    @Test func aFileThatItsNodeLostIsFailedAndSaysSo() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.capture("a/cam0")
        try desk.connect("a")
        #expect(desk.problems() == [.fileLost])
        #expect(desk.phases() == [.failed])
        #expect(desk.answers.map(\.status) == [.failed])
    }

    @Test func aCaptureListedAfterTheHelloIsCollectedOrReleasedLikeOneInIt() throws {
        var desk = try Desk(["a/cam0"], away: ["a"])
        desk.send(.begin)
        let report = try Sample.report(desk.shot, "a/cam0")
        let file = try desk.file("a/cam0")
        #expect(
            desk.send(.offered(report), at: 9) == [.collect(file, byteCount: 1000, digest: try Sample.digest(1))])
        try desk.store("a/cam0", at: 10)
        #expect(desk.phases() == [.done])
        #expect(desk.send(.offered(report), at: 11) == [.release(file, try Sample.digest(1))])
    }

    @Test(arguments: [true, false]) func aCaptureThatAnAgentHasGivenUpIsCollectedFromItsTwin(wasArmed: Bool) throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        let problem = RigProblem(.cancelled, "a/cam0: the node is shutting down")
        if wasArmed { try desk.arm("a/cam0") }
        let device = try DeviceID("a/cam0")
        desk.send(wasArmed ? .captureMissed(device, problem) : .refused(device, problem), at: 1.1)
        #expect(desk.problems() == [.nodeUnreachable])
        let report = try Sample.report(desk.shot, "a/cam0")
        let collect = ShotAction.collect(try desk.file("a/cam0"), byteCount: 1000, digest: try Sample.digest(1))
        #expect(try desk.connect("a", inventory: [report], at: 3) == [collect])
        try desk.store("a/cam0", at: 4)
        #expect(desk.phases() == [.done])
    }

    @Test func aCaptureDiscardedAtItsNodeSaysSoAndAStoredOneStays() throws {
        var desk = try Desk(["a/cam0", "b/cam0", "c/cam0"], away: ["b"])
        desk.send(.begin)
        for device in ["a/cam0", "c/cam0"] {
            try desk.arm(device)
            try desk.capture(device)
        }
        try desk.store("c/cam0")
        let problem = RigProblem(.discarded, "Discarded.")
        for device in ["a/cam0", "b/cam0", "c/cam0"] { desk.send(.discarded(try DeviceID(device), problem), at: 5) }
        #expect(desk.phases() == [.failed, .failed, .done])
        #expect(desk.problems() == [.discarded, .discarded, nil])
        #expect(desk.shot.status == .partial)
        #expect(desk.manifests.last == desk.shot)
    }

    @Test func aReleaseLostOnTheWayIsGivenAgain() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        let report = try Sample.report(desk.shot, "a/cam0")
        #expect(try desk.connect("a", inventory: [report], at: 9) == [.release(desk.file("a/cam0"), Sample.digest(1))])
    }

    @Test func whatIsNotStoredIsNeverReleasedAndIsAskedForAgain() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.capture("a/cam0")
        let full = RigProblem(.noSpace, "The library's disk is full.")
        #expect(try desk.send(.storingFailed(desk.file("a/cam0"), full), at: 1.2) == [])
        #expect(desk.answers.map(\.status) == [.failed])
        #expect(desk.problems() == [.noSpace])
        let report = try Sample.report(desk.shot, "a/cam0")
        let collect = ShotAction.collect(try desk.file("a/cam0"), byteCount: 1000, digest: try Sample.digest(1))
        #expect(try desk.connect("a", inventory: [report], at: 9) == [collect])
        #expect(try desk.store("a/cam0", at: 10) == [.release(desk.file("a/cam0"), Sample.digest(1))])
        #expect(desk.shot.status == .complete)
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.late])
    }

    @Test func otherBytesUnderTheSameNameAreNeitherTakenNorReleased() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.capture("a/cam0", digest: 1)
        try desk.store("a/cam0")
        let shot = desk.shot
        let actions = try desk.connect("a", inventory: [Sample.report(shot, "a/cam0", digest: 2)])
        #expect(actions.count == 1)
        guard case .warn(_, let problem) = try #require(actions.first) else {
            Issue.record("expected a warning, got \(actions)")
            return
        }
        #expect(problem.code == .protocolViolation)
        #expect(desk.shot == shot)
    }

    @Test func aReportWithoutTheFileIsAFailureOfTheNode() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        var report = try Sample.report(desk.shot, "a/cam0")
        report.files[0].byteCount = -1
        #expect(try desk.send(.captured(report)) == [.forget(desk.file("a/cam0"))])
        #expect(desk.problems() == [.protocolViolation])
        let revision = desk.shot.revision
        desk.send(.captured(report))
        #expect(desk.shot.revision == revision)
    }

    @Test func aSpoolThatFilledUpAfterTheFrameWasChosenIsAFailureAndNotAMiss() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.send(.captureMissed(DeviceID("a/cam0"), .init(.noSpace, "The spool is full.")), at: 1.1)
        #expect(desk.phases() == [.failed])
    }

    @Test func aCoordinatorKilledWhileCollectingGoesOnFromTheManifest() throws {
        var before = try Desk(["a/cam0", "b/cam0"])
        before.send(.begin)
        try before.arm("a/cam0")
        try before.arm("b/cam0")
        try before.capture("a/cam0")
        let manifest = try #require(before.manifests.last)

        var desk = Desk(resuming: manifest)
        #expect(desk.send(.begin, at: 1.5) == [])
        let reports = try [Sample.report(manifest, "a/cam0"), Sample.report(manifest, "b/cam0")]
        #expect(
            try desk.connect("a", inventory: [reports[0]])
                == [.collect(desk.file("a/cam0"), byteCount: 1000, digest: Sample.digest(1))])
        #expect(
            try desk.connect("b", inventory: [reports[1]])
                == [.collect(desk.file("b/cam0"), byteCount: 1000, digest: Sample.digest(1))])
        try desk.store("a/cam0")
        try desk.store("b/cam0")
        #expect(desk.shot.status == .complete)
        #expect(desk.answers.count == 1)
        #expect(desk.shot.revision > manifest.revision)
    }

    @Test func aCoordinatorKilledWhileArmingPreparesAgainAndFires() throws {
        var before = try Desk(["a/cam0", "b/cam0"])
        before.send(.begin)
        try before.arm("a/cam0")
        var desk = Desk(resuming: try #require(before.manifests.last))
        desk.send(.begin)
        #expect(try desk.connect("a", at: 0.3) == [prepare("a", "a/cam0")])
        #expect(try desk.connect("b", at: 0.4) == [prepare("b", "b/cam0")])
        try desk.arm("a/cam0", at: 0.5)
        #expect(try desk.arm("b/cam0", at: 0.5) == [fire("a", "a/cam0"), fire("b", "b/cam0")])
    }

    @Test func afterARebootOfTheCoordinatorNothingFiresAndPicturesInSpoolsAreTaken() throws {
        var before = try Desk(["a/cam0", "b/cam0"])
        before.send(.begin)
        try before.arm("a/cam0")
        try before.arm("b/cam0")
        var desk = Desk(resuming: try #require(before.manifests.last), rigClock: RigClockID(rawValue: "boot-b"))
        desk.send(.begin, at: 100)
        #expect(desk.problems() == [.nodeUnreachable, .nodeUnreachable])
        #expect(try desk.connect("b", at: 101) == [])
        let report = try Sample.report(desk.shot, "a/cam0")
        try desk.connect("a", inventory: [report], at: 101)
        try desk.store("a/cam0", at: 102)
        #expect(desk.shot.status == .partial)
    }

    @Test func aSettledShotNamedByAnInventoryReleasesItsFilesAndChangesNothing() throws {
        var before = try Desk(["a/cam0"])
        before.send(.begin)
        try before.arm("a/cam0")
        try before.capture("a/cam0")
        try before.store("a/cam0")
        let manifest = try #require(before.manifests.last)
        var desk = Desk(resuming: manifest)
        #expect(desk.send(.begin, at: 100) == [])
        #expect(desk.machine.isFinished)
        let report = try Sample.report(manifest, "a/cam0")
        #expect(
            try desk.connect("a", inventory: [report], at: 101) == [.release(desk.file("a/cam0"), Sample.digest(1))])
        #expect(desk.manifests.isEmpty)
        #expect(desk.answers.isEmpty && desk.settled.isEmpty)
    }

    @Test func withoutAFirstManifestTheClientIsToldAndNothingFires() throws {
        var machine = ShotMachine(
            taking: try Sample.shot(["a/cam0"]), connected: [try NodeName("a")], schedule: Sample.schedule)
        _ = machine.handle(.begin, at: Sample.at(0))
        let full = RigProblem(.noSpace, "The library's disk is full.")
        let actions = machine.handle(.manifestFailed(revision: 0, full), at: Sample.at(0))
        #expect(actions.compactMap(\.answer).map(\.status) == [.failed])
        #expect(machine.shot.captures[0].problem == full)
        #expect(machine.nextDeadline == Sample.at(0.5))
        // The write that failed may be on the disk as an open shot; a later revision closes it.
        let retry = machine.handle(.deadlinePassed, at: Sample.at(0.5)).manifests
        #expect(retry.map(\.revision) == [1])
        #expect(retry.map(\.status) == [.failed])
        let last = machine.handle(.manifestDurable(revision: 1), at: Sample.at(0.6))
        #expect(last == [.finished(retry[0])])
        #expect(machine.isFinished)
    }

    @Test func aFailedWriteIsTriedAgainBeforeAnythingIsReleased() throws {
        var machine = try firedMachine(["a/cam0"])
        let report = try Sample.report(machine.shot, "a/cam0")
        let first = try #require(machine.handle(.captured(report), at: Sample.at(1.1)).manifests.first)
        _ = machine.handle(
            .stored(FileKey(capture: report.key, kind: .photo), path: "p", at: Sample.at(1.2)), at: Sample.at(1.2))
        let problem = RigProblem(.inputOutput, "Disk error.")
        #expect(
            machine.handle(.manifestFailed(revision: first.revision, problem), at: Sample.at(1.3)).manifests.isEmpty)
        #expect(machine.nextDeadline == Sample.at(1.8))
        let second = try #require(machine.handle(.deadlinePassed, at: Sample.at(1.8)).manifests.first)
        #expect(second.revision == first.revision + 1)
        let actions = machine.handle(.manifestDurable(revision: second.revision), at: Sample.at(1.9))
        #expect(actions.contains { $0.isRelease } && actions.contains { $0.isAnswer })
    }

    @Test func aJournalSlowerThanTheArmDeadlineFiresNothing() throws {
        var machine = ShotMachine(
            taking: try Sample.shot(["a/cam0"]), connected: [try NodeName("a")], schedule: Sample.schedule)
        _ = machine.handle(.begin, at: Sample.at(0))
        let actions = machine.handle(.manifestDurable(revision: 0), at: Sample.at(3))
        #expect(actions.manifests.map(\.status) == [.failed])
        #expect(machine.shot.captures[0].problem?.code == .inputOutput)
    }
}
