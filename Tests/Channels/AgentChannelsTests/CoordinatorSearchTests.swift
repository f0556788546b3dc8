import Testing

@testable import AgentChannels

/// The table of ``CoordinatorSearch``; keys are texts.
@Suite struct CoordinatorSearchTests {
    private func away() -> CoordinatorSearch<String> {
        var search = CoordinatorSearch("old")
        let turns1 = search.failed(isAnswered: true)
        #expect(turns1)
        return search
    }

    @Test func `a new key is used once the connection with the old one ends`() {
        var search = CoordinatorSearch("old")
        let turns2 = search.learned("new")
        #expect(!turns2)
        #expect(search.key == "old" && search.place == .usual)
        let turns3 = search.lost()
        #expect(turns3)
        #expect(search.key == "new" && search.place == .usual)
        let turns4 = search.lost()
        #expect(!turns4, "the newest key is in use")
    }

    @Test func `a connection that ends without a new key is made again by itself`() {
        var search = CoordinatorSearch("old")
        let turns5 = search.lost()
        #expect(!turns5)
        #expect(search.place == .usual)
    }

    @Test func `a node that was away finds the old key on the second port, learns the new one, and returns`() {
        var search = away()
        #expect(search.place == .second && search.key == "old")
        let turns6 = search.learned("new")
        #expect(turns6)
        #expect(search.place == .usual && search.key == "new")
    }

    @Test(arguments: [true, false]) func `the second port leads back to the usual one`(isAnswered: Bool) {
        var search = away()
        let turns7 = search.failed(isAnswered: isAnswered)
        #expect(turns7)
        #expect(search.place == .usual && search.key == "old")
    }

    @Test func `nobody at the usual port is waited for there`() {
        var search = CoordinatorSearch("old")
        let turns8 = search.failed(isAnswered: false)
        #expect(!turns8)
        #expect(search.place == .usual)
    }

    @Test func `a coordinator that has told its key and not changed its ports yet is found at last`() {
        var search = CoordinatorSearch("old")
        let turns9 = search.learned("new")
        #expect(!turns9)
        let turns10 = search.lost()
        #expect(turns10)
        let turns11 = search.failed(isAnswered: true)
        #expect(turns11, "it still proves the old key")
        let turns12 = search.failed(isAnswered: false)
        #expect(turns12, "and does not use the second port yet")
        #expect(search.place == .usual && search.key == "new")
    }
}
