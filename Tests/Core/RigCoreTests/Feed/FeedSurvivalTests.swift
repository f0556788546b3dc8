import Testing

@testable import RigCore

@Suite struct FeedSurvivalTests {
    @Test("Nodes are told to forget events that were lost, since later ones were written")
    func frozen() {
        var survival = FeedSurvival()
        survival.note(written: 10, lost: [nil, nil])
        #expect(survival.sequence == 10)
        survival.note(written: 20, lost: [12...14, 16...17])
        #expect(survival.sequence == 11)
        survival.note(written: 30, lost: [12...14, 16...21])
        #expect(survival.sequence == 11)
        #expect(survival.takeLoss() == 12...21)
        #expect(survival.takeLoss() == nil)
        #expect(survival.sequence == 30)
    }

    @Test("A loss is called over while the disk still refuses what comes behind it")
    func notOver() {
        var survival = FeedSurvival()
        // The journal waits with 6; up to 5 it has given up.
        survival.note(written: 5, lost: [3...5, nil])
        #expect(survival.takeLoss() == nil)
        #expect(survival.sequence == 2)
        survival.note(written: 6, lost: [3...5, nil])
        #expect(survival.takeLoss() == 3...5)
    }

    @Test("A second loss is taken for the first one")
    func second() {
        var survival = FeedSurvival()
        survival.note(written: 9, lost: [1...4, nil])
        #expect(survival.takeLoss() == 1...4)
        survival.note(written: 9, lost: [1...4, nil])
        #expect(survival.sequence == 9)
        survival.note(written: 20, lost: [1...15, nil])
        #expect(survival.sequence == 4, "between 5 and 15 any may be lost")
        #expect(survival.takeLoss() == 5...15)
        #expect(survival.sequence == 20)
    }
}
