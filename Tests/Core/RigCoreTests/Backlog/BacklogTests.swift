import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct BacklogTests {
    private let start = LocalTime(nanoseconds: 1_000_000_000)

    private func key(_ number: Int64) throws -> CaptureKey { try Samples.fileKey(number).capture }

    private func page(last: Int64, hasMore: Bool, orphans: Int = 0) throws -> BacklogPage {
        BacklogPage(last: try key(last), hasMore: hasMore, orphans: orphans)
    }

    @Test("Empties a spool of several pages, one page at a time")
    func pages() throws {
        var backlog = Backlog(at: start)
        for number in Int64(1)...64 { backlog.began(try Samples.fileKey(number)) }
        #expect(backlog.begin(try page(last: 64, hasMore: true), at: start) == [])
        let ended = Int64(64 - Backlog.lowMark + 1)
        for number in 1..<ended { #expect(backlog.ended(try Samples.fileKey(number), at: start) == []) }
        #expect(backlog.ended(try Samples.fileKey(ended), at: start) == [.request(after: try key(64))])
        #expect(backlog.ended(try Samples.fileKey(ended + 1), at: start) == [], "asked for already")

        #expect(
            backlog.received(try page(last: 300, hasMore: false), after: try key(1), at: start) == [], "not asked for")
        #expect(backlog.received(try page(last: 300, hasMore: false), after: try key(64), at: start) == [])
        #expect(backlog.state == .resting(since: start))
        #expect(backlog.received(try page(last: 300, hasMore: true), after: try key(64), at: start) == [], "a repeat")
        #expect(backlog.timePassed(at: start + .seconds(3600)) == [])
    }

    @Test("Asks again for a lost page")
    func lostRequest() throws {
        var backlog = Backlog(at: start)
        #expect(backlog.begin(try page(last: 5, hasMore: true), at: start) == [.request(after: try key(5))])
        #expect(backlog.timePassed(at: start + Backlog.patience - .nanoseconds(1)) == [])
        #expect(backlog.timePassed(at: start + Backlog.patience) == [.request(after: try key(5))])
        #expect(backlog.timePassed(at: start + Backlog.patience) == [])
    }

    @Test("Retries a refused picture once there is room")
    func leftBehind() throws {
        var backlog = Backlog(at: start)
        backlog.began(try Samples.fileKey(1))
        #expect(backlog.begin(try page(last: 1, hasMore: false), at: start) == [])
        #expect(backlog.ended(try Samples.fileKey(1), isLeftBehind: true, at: start) == [])
        #expect(backlog.timePassed(at: start + Backlog.pause - .nanoseconds(1)) == [])
        #expect(backlog.timePassed(at: start + Backlog.pause) == [.request(after: nil)])
        backlog.began(try Samples.fileKey(1))
        #expect(backlog.received(try page(last: 1, hasMore: false), after: nil, at: start + .seconds(61)) == [])
        #expect(backlog.ended(try Samples.fileKey(1), at: start + .seconds(61)) == [])
        #expect(backlog.timePassed(at: start + .seconds(3600)) == [])
    }

    @Test("Reports captures that no shot expects, once")
    func orphans() throws {
        var backlog = Backlog(at: start)
        #expect(backlog.begin(try page(last: 5, hasMore: true, orphans: 2), at: start) == [.request(after: try key(5))])
        #expect(
            backlog.received(try page(last: 9, hasMore: false, orphans: 1), after: try key(5), at: start)
                == [.tell(orphans: 3)])
        #expect(backlog.begin(try page(last: 9, hasMore: false, orphans: 3), at: start) == [])
        #expect(backlog.begin(try page(last: 9, hasMore: false, orphans: 4), at: start) == [.tell(orphans: 4)])
    }
}
