import CaptureModel
import Testing

@testable import ShotLogic

@Suite struct ShotAnnouncementsTests {
    private func take(_ phase: Capture.Phase = .preparing, _ take: Take = Take()) throws -> Shot {
        var shot = try Sample.shot(["a/cam0"])
        shot.take = take
        shot.captures[0].phase = phase
        return shot
    }

    @Test func aBeginningIsAnnouncedOnceAndOnlyWhenItIsDurable() throws {
        var announcements = ShotAnnouncements()
        #expect(announcements.beginning(of: nil) == [])
        #expect(announcements.beginning(of: try take()) == [] && !announcements.hasBegun)
        let begun = try take(.captured)
        #expect(announcements.beginning(of: begun) == [.began(begun)] && announcements.hasBegun)
        #expect(announcements.beginning(of: begun) == [])
    }

    @Test func aStopIsAnnouncedWhenItIsDurableOrItsInstantComes() throws {
        let stopped = try take(.captured, Take(stopTime: Sample.at(5)))
        var durable = ShotAnnouncements()
        #expect(durable.stop(of: stopped, durable: try take(.captured), at: Sample.at(4.9)) == [])
        #expect(durable.untoldStop(of: stopped) == Sample.at(5) && durable.toldStop(of: stopped) == nil)
        #expect(durable.stop(of: stopped, durable: stopped, at: Sample.at(4.9)) == [.stopped(Sample.at(5))])
        #expect(durable.untoldStop(of: stopped) == nil && durable.toldStop(of: stopped) == Sample.at(5))
        #expect(durable.stop(of: stopped, durable: stopped, at: Sample.at(6)) == [])

        var slow = ShotAnnouncements()
        #expect(slow.stop(of: stopped, durable: nil, at: Sample.at(5)) == [.stopped(Sample.at(5))])
    }

    @Test func eachMarkIsAnnouncedOnce() throws {
        let marks = (1...3).map { TakeMark(id: $0, time: Sample.at(2), text: "go") }
        var announcements = ShotAnnouncements()
        #expect(announcements.marks(of: try take(.captured, Take(marks: [marks[0]]))) == [.marked(marks[0])])
        let more = announcements.marks(of: try take(.captured, Take(marks: marks)))
        #expect(more == [.marked(marks[1]), .marked(marks[2])])
        #expect(announcements.marks(of: nil) == [])
    }

    @Test func aResultIsAnnouncedOnceForEachDurableRevision() throws {
        var shot = try Sample.shot(["a/cam0"])
        var announcements = ShotAnnouncements()
        #expect(announcements.result(of: shot) == [])
        shot.status = .failed
        #expect(announcements.result(of: shot) == [.finished(shot)])
        #expect(announcements.result(of: shot) == [])
        shot.revision += 1
        #expect(announcements.result(of: shot) == [.finished(shot)])
    }

    @Test func aSettledShotThatIsResumedAnnouncesNothingAgain() throws {
        let mark = TakeMark(id: 1, time: Sample.at(2), text: "go")
        var settled = try take(.done, Take(stopTime: Sample.at(5), marks: [mark]))
        settled.status = .complete
        var announcements = ShotAnnouncements(durable: settled)
        #expect(announcements.beginning(of: settled) == [] && announcements.marks(of: settled) == [])
        #expect(announcements.stop(of: settled, durable: settled, at: Sample.at(6)) == [])
        #expect(announcements.result(of: settled) == [])
    }
}
