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
