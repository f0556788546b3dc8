import CaptureModel
import Testing

@testable import ShotLogic

@Suite struct ManifestJournalTests {
    private static let schedule = ShotSchedule(
        armDeadline: Sample.at(2), resolutionDeadline: Sample.at(5), repeatInterval: .milliseconds(500),
        writeDelay: .milliseconds(100))

    private func known(isWritten: Bool) throws -> KnownShot {
        KnownShot(try Sample.shot(["a/cam0"]), isWritten: isWritten, isTimeValid: true)
    }

    @Test func theFirstManifestIsRevisionZeroAndIsWrittenAtOnce() throws {
        var (known, journal) = (try known(isWritten: false), ManifestJournal(schedule: Self.schedule))
        let first = try #require(journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0)))
        #expect(first.revision == 0)
        #expect(!known.hasUnwrittenChanges && journal.isWriting && journal.durable == nil)
    }

    @Test func changesDuringAWriteBecomeOneFurtherRevision() throws {
        var (known, journal) = (try known(isWritten: false), ManifestJournal(schedule: Self.schedule))
        _ = journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0))
        known.arm(0, Sample.resolved)
        known.miss(0, RigProblem(.notRunning, "Not streaming."))
        #expect(journal.nextWrite(of: &known, isUrgent: true, at: Sample.at(0)) == nil, "one is outstanding")
        #expect(journal.succeeded(0)?.captures[0].phase == .preparing)
        let next = try #require(journal.nextWrite(of: &known, isUrgent: true, at: Sample.at(0)))
        #expect(next.revision == 1 && next.captures[0].phase == .missed)
        #expect(journal.durable?.revision == 0)
    }

    @Test func otherChangesWaitForFurtherOnes() throws {
        var known = try known(isWritten: true)
        var journal = ManifestJournal(durable: known.shot, schedule: Self.schedule)
        #expect(journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0)) == nil, "nothing has changed")
        #expect(journal.nextDeadline == nil)
        known.arm(0, Sample.resolved)
        #expect(journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0)) == nil)
        #expect(journal.nextDeadline == Sample.at(0.1))
        known.disarm(0)
        #expect(journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0.09)) == nil)
        #expect(journal.nextDeadline == Sample.at(0.1), "the first change counts")
        #expect(journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0.1))?.revision == 1)
    }

    @Test func aFailedWriteIsTriedAgainAsAFurtherRevisionAndMoreSlowlyEachTime() throws {
        var (known, journal) = (try known(isWritten: false), ManifestJournal(schedule: Self.schedule))
        _ = journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0))
        #expect(!journal.failed(7, of: &known, at: Sample.at(0)), "another revision is outstanding")
        #expect(journal.failed(0, of: &known, at: Sample.at(0)))
        #expect(known.hasUnwrittenChanges && journal.nextDeadline == Sample.at(0.5))
        journal.deadlinePassed(at: Sample.at(0.4))
        #expect(journal.nextWrite(of: &known, isUrgent: true, at: Sample.at(0.4)) == nil)
        journal.deadlinePassed(at: Sample.at(0.5))
        #expect(journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0.5))?.revision == 1)
        #expect(journal.failed(1, of: &known, at: Sample.at(0.5)))
        #expect(journal.nextDeadline == Sample.at(1.5))
    }

    @Test func anAnswerForAnotherRevisionIsIgnored() throws {
        var (known, journal) = (try known(isWritten: false), ManifestJournal(schedule: Self.schedule))
        _ = journal.nextWrite(of: &known, isUrgent: false, at: Sample.at(0))
        #expect(journal.succeeded(1) == nil)
        #expect(journal.isWriting && journal.durable == nil)
    }
}
