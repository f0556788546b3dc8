import CaptureModel
import Testing

@testable import ShotLogic

@Suite struct KnownShotTests {
    private func known(_ devices: String...) throws -> KnownShot {
        KnownShot(try Sample.shot(devices), isWritten: true, isTimeValid: true)
    }

    @Test func whatChangesNothingNeedsNoManifest() throws {
        var known = try known("a/cam0")
        known.disarm(0)
        known.updateStatus(at: Sample.at(0))
        #expect(!known.hasUnwrittenChanges)
        known.arm(0, Sample.resolved)
        #expect(known.hasUnwrittenChanges)
        _ = known.manifest(isFirst: false)
        known.arm(0, Sample.resolved)
        #expect(!known.hasUnwrittenChanges)
    }

    @Test func eachManifestIsAFurtherRevisionThanTheFirst() throws {
        var known = try known("a/cam0")
        #expect(known.manifest(isFirst: true).revision == 0)
        known.manifestFailed()
        #expect(known.hasUnwrittenChanges)
        #expect(known.manifest(isFirst: false).revision == 1)
    }

    @Test func aShotIsSettledWhenEveryCaptureHasAnOutcomeAndOpenAgainWithALateReport() throws {
        var known = try known("a/cam0", "b/cam0")
        known.miss(0, RigProblem(.nodeUnreachable, "Away."))
        known.updateStatus(at: Sample.at(2))
        #expect(known.shot.status == .open && known.shot.settledAt == nil)
        known.miss(1, RigProblem(.nodeUnreachable, "Away."))
        known.updateStatus(at: Sample.at(3))
        #expect(known.shot.status == .failed && known.shot.settledAt == Sample.at(3))
        known.accept(try Sample.report(known.shot, "b/cam0"), 1)
        known.updateStatus(at: Sample.at(4))
        #expect(known.shot.status == .open && known.shot.settledAt == nil)
    }

    @Test func filesThatAnAnswerDoesNotHaveAreLate() throws {
        var known = try known("a/cam0", "b/cam0")
        for (place, name) in ["a/cam0", "b/cam0"].enumerated() {
            known.accept(try Sample.report(known.shot, name), place)
        }
        known.stored(known.key(of: .photo, 0), path: "a.jpg", at: Sample.at(2), isLate: false)
        let answer = known.shot
        known.stored(known.key(of: .photo, 1), path: "b.jpg", at: Sample.at(2), isLate: false)
        known.markLate(unlessIn: answer)
        #expect(known.captures.map { $0.files[0].outcome } == [.done, .late])
    }

    private func report(_ shot: Shot, _ device: String, skew: Duration, bound: Duration) throws -> CaptureReport {
        var report = try Sample.report(shot, device)
        report.timing.skewNanoseconds = skew.nanoseconds
        report.timing.midExposure = BoundedRigTime(time: shot.time + skew, bound: bound)
        return report
    }

    @Test("A manifest compares the pictures with one another and with the limits") func timing() throws {
        var shot = try Sample.shot(["a/cam0", "b/cam0", "c/cam0", "d/cam0"])
        shot.limits = TimingLimits(maxSkew: .milliseconds(2), maxBound: .microseconds(500))
        var known = KnownShot(shot, isWritten: false, isTimeValid: true)
        #expect(known.manifest(isFirst: true).simultaneity == nil)
        known.accept(try report(shot, "b/cam0", skew: .milliseconds(2), bound: .microseconds(500)), 1)
        #expect(known.manifest(isFirst: false).simultaneity == nil, "a picture alone is as early as it is late")
        known.accept(try report(shot, "a/cam0", skew: .microseconds(-2001), bound: .microseconds(100)), 0)
        known.accept(try report(shot, "d/cam0", skew: .milliseconds(-3), bound: .milliseconds(1)), 3)
        let manifest = known.manifest(isFirst: false)
        #expect(manifest == known.shot)
        #expect(manifest.captures.map(\.exceeds) == [[.maxSkew], [], [], [.maxSkew, .maxBound]])
        let simultaneity = try #require(manifest.simultaneity)
        #expect(simultaneity.spread == .milliseconds(5) && simultaneity.bound == .microseconds(1500))
        #expect(simultaneity.earliest == shot.captures[3].device.id)
        #expect(simultaneity.latest == shot.captures[1].device.id)
    }

    @Test("An instant that cannot be true neither counts for the spread nor exceeds a limit") func doubted() throws {
        var shot = try Sample.shot(["a/cam0", "b/cam0", "c/cam0"])
        shot.limits = TimingLimits(maxSkew: .milliseconds(2))
        var known = KnownShot(shot, isWritten: false, isTimeValid: true)
        for (place, name) in ["a/cam0", "b/cam0", "c/cam0"].enumerated() {
            var report = try report(shot, name, skew: .milliseconds(place == 2 ? 900 : 1), bound: .zero)
            if place == 2 { report.doubts = [DoubtedClaim(.midExposure, .wrong, "it is too far from T")] }
            known.accept(report, place)
        }
        let manifest = known.manifest(isFirst: true)
        #expect(manifest.simultaneity?.spread == .zero)
        #expect(manifest.captures.map(\.exceeds) == [[], [], []])
    }

    @Test("Without limits nothing exceeds one, and a take is not compared") func unlimited() throws {
        var shot = try Sample.shot(["a/cam0", "b/cam0"])
        for isTake in [false, true] {
            if isTake { shot.take = Take() }
            var known = KnownShot(shot, isWritten: false, isTimeValid: true)
            known.accept(try report(shot, "a/cam0", skew: .milliseconds(-9), bound: .seconds(1)), 0)
            known.accept(try report(shot, "b/cam0", skew: .milliseconds(9), bound: .seconds(1)), 1)
            let manifest = known.manifest(isFirst: true)
            #expect((manifest.simultaneity == nil) == isTake)
            #expect(manifest.captures.map(\.exceeds) == [[], []])
        }
    }

    @Test func aStoredFileIsNeverLostAgain() throws {
        var known = try known("a/cam0")
        known.accept(try Sample.report(known.shot, "a/cam0"), 0)
        known.stored(known.key(of: .photo, 0), path: "a.jpg", at: Sample.at(2), isLate: false)
        let stored = known.shot
        known.storingFailed(known.key(of: .photo, 0), RigProblem(.noSpace, "The library is full."))
        known.discarded(try DeviceID("a/cam0"), RigProblem(.discarded, "Removed."))
        #expect(known.shot == stored)
    }
}
