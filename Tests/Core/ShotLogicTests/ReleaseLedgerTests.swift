import CaptureModel
import Testing

@testable import ShotLogic

@Suite struct ReleaseLedgerTests {
    /// A shot whose photo is stored.
    private func stored() throws -> (shot: Shot, report: CaptureReport, key: FileKey) {
        let shot = try Sample.shot(["a/cam0"])
        let report = try Sample.report(shot, "a/cam0")
        var known = KnownShot(shot, isWritten: true, isTimeValid: true)
        known.accept(report, 0)
        let key = known.key(of: .photo, 0)
        known.stored(key, path: "photo.jpg", at: Sample.at(2), isLate: false)
        return (known.shot, report, key)
    }

    @Test func aStoredFileIsReleasedOnce() throws {
        let (shot, _, key) = try stored()
        var ledger = ReleaseLedger()
        #expect(try ledger.release(in: shot) == [.release(key, Sample.digest(1))])
        #expect(ledger.release(in: shot) == [])
    }

    @Test func aResumedShotReleasesNothingThatItsManifestHas() throws {
        let (shot, _, _) = try stored()
        var ledger = ReleaseLedger(durable: shot)
        #expect(ledger.release(in: shot) == [])
    }

    @Test func aFileThatANodeStillListsIsReleasedAgain() throws {
        let (shot, report, key) = try stored()
        var ledger = ReleaseLedger(durable: shot)
        let again = ledger.releaseAgain(shot.captures[0], of: shot.id, listed: report)
        #expect(try again == [.release(key, Sample.digest(1))])
        var other = report
        other.files = [SpooledFile(kind: .photo, byteCount: 1000, digest: try Sample.digest(2))]
        #expect(ledger.releaseAgain(shot.captures[0], of: shot.id, listed: other) == [], "the library has other bytes")
    }
}
