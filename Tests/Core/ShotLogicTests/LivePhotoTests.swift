import CaptureModel
import ShotLogic
import Testing

/// A shot whose captures have a clip, which comes after the photo.
@Suite struct LivePhotoTests {
    private let full = RigProblem(.noSpace, "The spool is full.")

    @Test func theShotWaitsForTheClipAndIsCompleteWithIt() throws {
        var desk = try fired(.whereEnabled)
        #expect(try photo(&desk) == [.collect(desk.file("a/cam0"), byteCount: 1000, digest: Sample.digest(1))])
        #expect(try desk.store("a/cam0") == [.release(desk.file("a/cam0"), Sample.digest(1))])
        #expect(desk.answers.isEmpty && desk.phases() == [.captured])
        let clip = try desk.file("a/cam0", .pairedVideo)
        let grown = try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", clip: 3)), at: 2.6)
        #expect(try grown == [.collect(clip, byteCount: 5000, digest: Sample.digest(3))])
        #expect(try desk.store("a/cam0", .pairedVideo, at: 2.7) == [.release(clip, Sample.digest(3))])
        #expect(desk.shot.status == .complete && desk.answers == [desk.shot])
        #expect(try desk.capture(of: "a/cam0").clip?.stillFrame == 1)
    }

    @Test func progressCountsTheCapturesWhosePhotoIsStoredAndWhoseClipIsToCome() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        #expect(desk.progress.last?.awaitingCompanions == 0)
        try desk.store("a/cam0")
        #expect(desk.progress.last?.phases == [.captured: 1] && desk.progress.last?.awaitingCompanions == 1)
        try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", clip: 3)), at: 2.6)
        try desk.store("a/cam0", .pairedVideo, at: 2.7)
        #expect(desk.progress.last?.phases == [.done: 1] && desk.progress.last?.awaitingCompanions == 0)
    }

    @Test func aClipThatFailsLeavesThePhotoAndSaysWhy() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.store("a/cam0")
        let told = try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", problem: full)), at: 2.6)
        #expect(try told == [.forget(desk.file("a/cam0", .pairedVideo))])
        #expect(desk.shot.status == .partial && desk.phases() == [.partial])
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.done, .failed])
        #expect(try desk.capture(of: "a/cam0").problem == full)
        #expect(desk.progress.last?.changed.first?.phase == .partial)
    }

    @Test func aClipThatIsLessThanWasAskedForIsNotCalledDone() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.store("a/cam0")
        let shortfall = RigProblem(.encoderFailed, "Stored as it was recorded.")
        var report = try Sample.liveReport(desk.shot, "a/cam0", clip: 3)
        report.files[1].shortfall = shortfall
        desk.send(.captured(report), at: 2.6)
        try desk.store("a/cam0", .pairedVideo, at: 2.7)
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.phase == .partial && capture.problem == shortfall && desk.shot.status == .partial)
        #expect(capture.files.map(\.outcome) == [.done, .done] && capture.files[1].shortfall == shortfall)
        #expect(capture.files[1].problem == nil)
    }

    @Test func aMotionPhotoIsWaitedForWhereTheCameraAnnouncesOne() throws {
        var desk = try Desk(["a/cam0", "a/cam1"], livePhoto: .whereEnabled, motionPhoto: true)
        desk.send(.begin)
        var live = Sample.live
        live.livePhoto?.motionPhoto = true
        desk.send(.armed(try DeviceID("a/cam0"), live))
        desk.send(.armed(try DeviceID("a/cam1"), Sample.live))
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo, .pairedVideo, .motionPhoto])
        #expect(try desk.capture(of: "a/cam1").files.map(\.kind) == [.photo, .pairedVideo])
    }

    @Test func aClipWithoutItsPhotoIsNoCapture() throws {
        var desk = try fired(.required)
        try photo(&desk)
        desk.send(.storingFailed(try desk.file("a/cam0"), .init(.corrupted, "Wrong bytes.")), at: 1.5)
        try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", clip: 3)), at: 2.6)
        try desk.store("a/cam0", .pairedVideo, at: 2.7)
        #expect(desk.phases() == [.failed] && desk.shot.status == .failed)
    }

    @Test func whereNoClipIsAnnouncedNoneIsExpected() throws {
        var desk = try Desk(["a/cam0"], livePhoto: .whereEnabled)
        desk.send(.begin)
        try desk.arm("a/cam0")
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo])
        #expect(desk.shot.status == .complete)
    }

    @Test func aClipThatALaterArmingDoesNotAnnounceIsNotWaitedFor() throws {
        var desk = try Desk(["a/cam0", "b/cam0"], livePhoto: .whereEnabled)
        desk.send(.begin)
        desk.send(.armed(try DeviceID("a/cam0"), Sample.live))
        desk.send(.nodeDisconnected(try NodeName("a")))
        try desk.connect("a", at: 0.2)
        try desk.arm("a/cam0", at: 0.3)
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo])
        try desk.arm("b/cam0", at: 0.4)
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        #expect(try desk.capture(of: "a/cam0").phase == .done)
    }

    @Test func aClipThatWasRequiredStaysRequired() throws {
        var desk = try fired(.required)
        try desk.capture("a/cam0")
        try desk.store("a/cam0")
        #expect(desk.phases() == [.partial] && desk.problems() == [.protocolViolation])
    }

    @Test func aClipNobodyAskedForIsNotTaken() throws {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        desk.send(.armed(try DeviceID("a/cam0"), Sample.live))
        try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", clip: 3)), at: 1.1)
        try desk.store("a/cam0")
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo])
        #expect(desk.shot.status == .complete)
    }

    @Test func aClipThatIsNotHeardOfIsAskedForUntilItComes() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.store("a/cam0")
        #expect(desk.machine.nextDeadline == Sample.at(3.5))
        #expect(try desk.send(.deadlinePassed, at: 3.5) == [fire("a", "a/cam0")])
        #expect(desk.machine.nextDeadline == Sample.at(5.5))
        #expect(try desk.send(.deadlinePassed, at: 5.5) == [fire("a", "a/cam0")])
        try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", clip: 3)), at: 5.6)
        #expect(desk.machine.nextDeadline == nil)
    }

    @Test func anAgentThatWasRestartedOwesNoClipAnyMore() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.store("a/cam0")
        desk.send(.nodeDisconnected(try NodeName("a")), at: 1.3)
        var report = try Sample.liveReport(
            desk.shot, "a/cam0", problem: .init(.agentRestarted, "The agent was restarted."))
        report.files = []
        #expect(try desk.connect("a", inventory: [report], at: 2) == [.forget(desk.file("a/cam0", .pairedVideo))])
        #expect(desk.phases() == [.partial] && desk.problems() == [.agentRestarted])
    }

    @Test func aNodeThatLostWhatItOwedEndsTheWaiting() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.store("a/cam0")
        try desk.connect("a", inventory: [], at: 2)
        #expect(desk.phases() == [.partial] && desk.problems() == [.fileLost])
    }

    @Test func aFailureThatTheNodeTellsAgainIsForgottenAgain() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.store("a/cam0")
        try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", problem: full)), at: 2.6)
        var report = try Sample.liveReport(desk.shot, "a/cam0", problem: full)
        report.files = []
        let forget = try ShotAction.forget(desk.file("a/cam0", .pairedVideo))
        #expect(try desk.connect("a", inventory: [report], at: 4) == [forget])
        var resumed = Desk(resuming: try #require(desk.manifests.last))
        resumed.send(.begin, at: 5)
        #expect(try resumed.connect("a", inventory: [report], at: 5) == [forget])
    }

    @Test func anOlderReportTakesNothingBack() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0", clip: 3)), at: 2.6)
        let before = desk.shot
        #expect(try photo(&desk) == [])
        #expect(desk.shot == before)
        try desk.store("a/cam0", at: 2.7)
        try desk.store("a/cam0", .pairedVideo, at: 2.7)
        #expect(try photo(&desk) == [])
        #expect(desk.shot.status == .complete)
    }

    @Test func aRestartedCoordinatorStillExpectsTheClip() throws {
        var desk = try fired(.whereEnabled)
        try photo(&desk)
        try desk.store("a/cam0")
        var resumed = Desk(resuming: try #require(desk.manifests.last))
        resumed.send(.begin, at: 2)
        var owed = try Sample.liveReport(desk.shot, "a/cam0")
        owed.files = []
        #expect(try resumed.connect("a", inventory: [owed], epochChanged: false, at: 2) == [])
        try resumed.send(.captured(Sample.liveReport(desk.shot, "a/cam0", clip: 3)), at: 2.6)
        try resumed.store("a/cam0", .pairedVideo, at: 2.7)
        #expect(resumed.shot.status == .complete)
    }

    @Test func aMissedCaptureHasNoClipEither() throws {
        var desk = try fired(.required)
        desk.send(.captureMissed(try DeviceID("a/cam0"), .init(.noFrameNearTime, "No frame.")), at: 1.2)
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.missed, .missed])
        #expect(desk.shot.status == .failed)
    }

    private func fired(_ wish: LivePhotoRequest) throws -> Desk {
        var desk = try Desk(["a/cam0"], livePhoto: wish)
        desk.send(.begin)
        desk.send(.armed(try DeviceID("a/cam0"), Sample.live))
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo, .pairedVideo])
        return desk
    }

    @discardableResult
    private func photo(_ desk: inout Desk) throws -> [ShotAction] {
        try desk.send(.captured(Sample.liveReport(desk.shot, "a/cam0")), at: 1.1)
    }
}
