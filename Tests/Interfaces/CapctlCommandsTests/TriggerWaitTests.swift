import ArgumentParser
import CaptureModel
import CaptureTestSupport
import Testing

@testable import CapctlCommands
@testable import RigClient

/// What `capctl trigger --wait` waits for.
@Suite struct TriggerWaitTests {
    private func progress(_ counts: CaptureCounts) throws -> ShotProgress {
        ShotProgress(
            shot: try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50")), time: RigTime(nanoseconds: 0),
            captures: counts)
    }

    @Test func `The wait for stills is over when each camera has stored them or has another outcome`() throws {
        let waiting = CaptureCounts(expected: 4, captured: 3, awaitingCompanions: 2, missed: 1)
        #expect(try !TriggerWait.stills.isOver(at: progress(waiting)), "one is captured and not stored")
        let stored = CaptureCounts(expected: 4, captured: 2, awaitingCompanions: 2, done: 1, missed: 1)
        #expect(try TriggerWait.stills.isOver(at: progress(stored)))
        #expect(try !TriggerWait.all.isOver(at: progress(stored)), "the coordinator answers about the rest")
    }

    @Test func `Progress says that the stills are stored, and when clips end`() throws {
        let stored = try progress(CaptureCounts(expected: 4, captured: 4, awaitingCompanions: 4))
        #expect(
            ShotWatch.line(stored, clipsEnd: .milliseconds(1200)) == "stills of 4 cameras stored, clips end in 1.2 s")
        #expect(ShotWatch.line(stored) == "stills of 4 cameras stored, waiting for further files of 4 cameras")
        let partly = try progress(CaptureCounts(expected: 4, captured: 1, awaitingCompanions: 1, missed: 3))
        #expect(
            ShotWatch.line(partly, clipsEnd: .zero)
                == "stills of 1 camera stored, 3 missed, waiting for further files of 1 camera")
        let armed = try progress(CaptureCounts(expected: 4, armed: 4))
        #expect(ShotWatch.line(armed) == "4 of 4 cameras armed, 0 captured, 0 done")
    }

    /// A shot of as many cameras, of which so many have stored their still, and none its clip.
    private func shot(_ cameras: Int, stored: Int, status: Shot.Status = .open) throws -> Shot {
        var shot = try SampleShot().shot
        shot.status = status
        shot.captures = Array(shot.captures.prefix(cameras))
        for index in shot.captures.indices {
            var still = CapturedFile(kind: .photo)
            if index < stored { (still.outcome, still.path) = (.done, "x/photo.jpg") }
            shot.captures[index].files = [still, CapturedFile(kind: .pairedVideo)]
        }
        return shot
    }

    @Test func `The exit status is about what was waited for`() throws {
        #expect(TriggerWait.stills.status(of: try shot(3, stored: 3)) == .complete)
        #expect(TriggerWait.stills.status(of: try shot(3, stored: 1)) == .partial)
        #expect(TriggerWait.stills.status(of: try shot(3, stored: 0)) == .partial, "they may still come")
        var exceeding = try shot(3, stored: 3)
        exceeding.captures[1].exceeds = [.maxSkew]
        #expect(TriggerWait.stills.status(of: exceeding) == .partial, "a picture exceeds a limit")
        var lost = try shot(3, stored: 0)
        for index in lost.captures.indices { lost.captures[index].files[0].outcome = .failed }
        #expect(TriggerWait.stills.status(of: lost) == .failed)
        #expect(TriggerWait.all.status(of: try shot(3, stored: 3)) == .partial, "its clips are not stored")
        #expect(TriggerWait.stills.status(of: try shot(3, stored: 3, status: .partial)) == .complete, "a clip failed")
    }

    @Test func `The option takes stills and all`() throws {
        func wait(_ arguments: String...) throws -> TriggerWait? {
            (try Capctl.parseAsRoot(["trigger", "--all"] + arguments) as? TriggerCommand)?.wait
        }
        #expect(try wait() == .all)
        #expect(try wait("--wait", "stills") == .stills)
        #expect(throws: (any Error).self) { _ = try wait("--wait", "clips") }
    }
}
