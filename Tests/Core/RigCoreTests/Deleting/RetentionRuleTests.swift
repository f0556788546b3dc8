import CaptureModel
import RigConfiguration
import StorageKit
import Testing

@testable import RigCore

@Suite struct RetentionRuleTests {
    private static let day: Int64 = 86_400_000_000_000
    private static let now: Int64 = 20_000 * day + day / 2

    private func rule(
        _ age: Duration? = nil, free: Int64? = nil, _ only: CoordinatorConfiguration.Retention.OnlyCopies = .keep
    ) -> RetentionRule {
        RetentionRule(.init(age: age, free: free.map { ByteCount($0) }, onlyCopies: only))
    }

    private func shot(daysAgo days: Int64, isInProgress: Bool = false, title: String = "", note: String = "")
        -> RetentionRule.Candidate
    {
        .init(
            realtimeNanoseconds: Self.now - days * Self.day, isInProgress: isInProgress,
            annotation: ShotAnnotation(title: title, note: note))
    }

    @Test func `Calls due what is as old as the age, and nothing younger`() {
        let rule = rule(.seconds(30 * 86_400))
        var young = shot(daysAgo: 30)
        #expect(rule.verdict(on: young, at: Self.now, free: 0) == .due(.age, needsCopy: true))
        young.realtimeNanoseconds += 1
        #expect(rule.verdict(on: young, at: Self.now, free: 0) == .notDue)
        #expect(rule.verdict(on: shot(daysAgo: -5), at: Self.now, free: 0) == .notDue, "T is in the future")
        var ancient = shot(daysAgo: 0)
        ancient.realtimeNanoseconds = .min
        #expect(rule.verdict(on: ancient, at: Self.now, free: 0) == .notDue, "a time that cannot be compared")
    }

    @Test func `Calls everything due while the disk lacks bytes, and nothing once it has them`() {
        let rule = rule(free: 1000)
        #expect(rule.verdict(on: shot(daysAgo: 0), at: Self.now, free: 999) == .due(.space, needsCopy: true))
        #expect(rule.verdict(on: shot(daysAgo: 9), at: Self.now, free: 1000) == .notDue)
        #expect(rule.verdict(on: shot(daysAgo: 9), at: Self.now, free: nil) == .notDue, "the disk does not say")
        #expect(rule.lacking(free: 400) == 600 && rule.lacking(free: 4000) == 0 && rule.lacking(free: nil) == 0)
    }

    @Test func `Age comes before space as the reason`() {
        let rule = rule(.seconds(86_400), free: 1000)
        #expect(rule.verdict(on: shot(daysAgo: 2), at: Self.now, free: 1) == .due(.age, needsCopy: true))
        #expect(rule.verdict(on: shot(daysAgo: 0), at: Self.now, free: 1) == .due(.space, needsCopy: true))
    }

    @Test(arguments: [CoordinatorConfiguration.Retention.OnlyCopies.keep, .delete])
    func `Keeps what is in progress and what has a title or a note, whatever is said of only copies`(
        _ only: CoordinatorConfiguration.Retention.OnlyCopies
    ) {
        let rule = rule(.seconds(86_400), only)
        func verdict(_ shot: RetentionRule.Candidate) -> RetentionRule.Verdict {
            rule.verdict(on: shot, at: Self.now, free: 0)
        }
        #expect(verdict(shot(daysAgo: 9, isInProgress: true, title: "x")) == .stays(.inProgress))
        #expect(verdict(shot(daysAgo: 9, title: "x")) == .stays(.annotated))
        #expect(verdict(shot(daysAgo: 9, note: "x")) == .stays(.annotated))
        #expect(verdict(shot(daysAgo: 9)) == .due(.age, needsCopy: only == .keep))
        #expect(verdict(shot(daysAgo: 0, title: "x")) == .notDue, "what is not due is not held back")
    }

    @Test func `Looks at a day as long as a shot of it may be due`() {
        let byAge = rule(.seconds(2 * 86_400))
        func day(_ ago: Int64) -> ShotDay {
            ShotDay(
                name: ShotDay.name(atRealtimeNanoseconds: Self.now - ago * Self.day), version: "", isSettled: true)
        }
        #expect((1...3).map { byAge.mayBeDue(day($0), at: Self.now, free: 0) } == [false, true, true])
        let bySpace = rule(free: 1000)
        #expect(bySpace.mayBeDue(day(0), at: Self.now, free: 1) && !bySpace.mayBeDue(day(9), at: Self.now, free: 1000))
    }

    @Test func `Names its rule in words`() {
        #expect(rule(.seconds(30 * 86_400), free: 50_000_000_000).text == "for 30 d, 50 GB free")
        #expect(rule(.seconds(7200), .delete).text == "for 2 h, only copies too")
    }
}
