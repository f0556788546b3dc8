import CaptureModel
import Testing

@testable import RigClient

/// A cursor is tried against transcripts of what a feed may do.
@Suite struct FeedCursorTests {
    private let epoch = Epoch.random()

    private func cursor(seen: UInt64) -> FeedCursor {
        var cursor = FeedCursor()
        cursor.anchor(epoch: epoch, after: seen)
        return cursor
    }

    private func page(_ sequences: ClosedRange<UInt64>, last: UInt64, of epoch: Epoch? = nil) throws -> EventReplay {
        let epoch = epoch ?? self.epoch
        return EventReplay(
            epoch: epoch, events: try sequences.map { try .test($0, of: epoch) }, lastSequence: last, isTruncated: false
        )
    }

    @Test func anEventToldTwiceIsShownOnce() throws {
        var cursor = cursor(seen: 3)
        #expect(cursor.process(try .test(4, of: epoch)) == .tell)
        #expect(cursor.process(try .test(4, of: epoch)) == .drop)
        #expect(cursor.process(try .test(2, of: epoch)) == .drop)
    }

    @Test func aLostEventIsAskedForAndNothingIsShownTwice() throws {
        var cursor = cursor(seen: 3)
        #expect(cursor.process(try .test(6, of: epoch)) == .replay)
        #expect(cursor.seen == 3)
        let (items, progress) = cursor.process(try page(4...6, last: 6))
        #expect(items == (try (4...6).map { .event(try .test($0, of: epoch)) }))
        #expect(progress == .caughtUp)
        #expect(cursor.process(try .test(6, of: epoch)) == .drop)
        #expect(cursor.process(try .test(7, of: epoch)) == .tell)
    }

    @Test func theLossOfTheLastEventIsNoticedByTheBeat() {
        let cursor = cursor(seen: 3)
        #expect(cursor.process(beatOf: epoch, lastSequence: 3) == .drop)
        #expect(cursor.process(beatOf: epoch, lastSequence: 4) == .replay)
    }

    @Test func aLongReplayComesInPages() throws {
        var cursor = cursor(seen: 0)
        #expect(cursor.process(try page(1...400, last: 500)).progress == .more)
        #expect(cursor.process(try page(401...500, last: 500)).progress == .caughtUp)
    }

    @Test func eventsNoLongerHeldAreToldAsSkipped() throws {
        var cursor = cursor(seen: 2)
        let (items, _) = cursor.process(try page(10...10, last: 10))
        #expect(items == [.skipped(count: 7), .event(try .test(10, of: epoch))])
    }

    @Test func aPositionThatTheCoordinatorDoesNotKnowIsToldAsAGap() throws {
        var cursor = cursor(seen: 50)
        let next = Epoch.random()
        let replay = EventReplay(epoch: next, events: [try .test(1, of: next)], lastSequence: 1, isTruncated: true)
        let (items, progress) = cursor.process(replay)
        #expect(items == [.skipped(count: nil), .restarted(next), .event(try .test(1, of: next))])
        #expect(progress == .caughtUp)
    }

    @Test func aPageWithoutProgressDoesNotAskForEver() {
        var cursor = cursor(seen: 2)
        let empty = EventReplay(epoch: epoch, events: [], lastSequence: 9, isTruncated: true)
        let (items, progress) = cursor.process(empty)
        #expect(items == [.skipped(count: 7)])
        #expect(progress == .caughtUp)
    }

    @Test func aRestartedCoordinatorIsFollowedFromItsFirstEvent() throws {
        var cursor = cursor(seen: 50)
        let next = Epoch.random()
        #expect(cursor.process(try .test(51, of: next)) == .replay)
        #expect(cursor.process(beatOf: next, lastSequence: 2) == .replay)
        let (items, progress) = cursor.process(try page(1...2, last: 2, of: next))
        #expect(items == [.restarted(next), .event(try .test(1, of: next)), .event(try .test(2, of: next))])
        #expect(progress == .caughtUp)
    }

    @Test func whatAnEndedCoordinatorHadToSayIsToldBeforeItsSuccessorsEvents() throws {
        var cursor = cursor(seen: 50)
        let next = Epoch.random()
        let events = try [.test(51, of: epoch), .test(52, of: epoch), .test(1, of: next)] as [FeedEvent]
        let page = EventReplay(epoch: next, events: events, lastSequence: 2, isTruncated: false)
        let (items, progress) = cursor.process(page)
        #expect(items == [.event(events[0]), .event(events[1]), .restarted(next), .event(events[2])])
        #expect(progress == .more)
        #expect(cursor.epoch == next && cursor.seen == 1)
    }

    @Test func aCoordinatorThatHasSaidNothingYetIsFollowed() {
        var cursor = cursor(seen: 50)
        let next = Epoch.random()
        let (items, progress) = cursor.process(
            EventReplay(epoch: next, events: [], lastSequence: 0, isTruncated: false))
        #expect(items == [.restarted(next)])
        #expect(progress == .caughtUp)
    }

    @Test func anEpochThatWasLeftIsNotToldAgainByACoordinatorThatHasLostItsSuccessor() throws {
        var cursor = cursor(seen: 0)
        let (next, now) = (Epoch.random(), Epoch.random())
        _ = cursor.process(try page(1...3, last: 3))
        _ = cursor.process(try page(1...2, last: 2, of: next))
        // The journal's file of `next` is damaged: what follows it is not known, and the replay begins with the oldest.
        let events = try [.test(1, of: epoch), .test(2, of: epoch), .test(1, of: now)] as [FeedEvent]
        let (items, progress) = cursor.process(
            EventReplay(epoch: now, events: events, lastSequence: 1, isTruncated: true))
        #expect(items == [.skipped(count: nil), .restarted(now), .event(events[2])])
        #expect(progress == .caughtUp)
    }

    @Test func aReplayThatBeginsWithMoreThanAPageOfLeftEpochsGoesOnToTheLivesThatWereMissed() throws {
        var cursor = cursor(seen: 400)
        let (silent, missed, now) = (Epoch.random(), Epoch.random(), Epoch.random())
        _ = cursor.process(EventReplay(epoch: silent, events: [], lastSequence: 0, isTruncated: false))
        #expect(cursor.asked == (silent, 0))

        let told = EventReplay(
            epoch: now, events: try (1...400).map { try .test($0, of: epoch) }, lastSequence: 1, isTruncated: true)
        let (nothing, progress) = cursor.process(told)
        #expect(nothing == [] && progress == .more)
        #expect(cursor.asked == (epoch, 400))
        let events = try [.test(1, of: missed), .test(2, of: missed), .test(1, of: now)] as [FeedEvent]
        let (items, end) = cursor.process(EventReplay(epoch: now, events: events, lastSequence: 1, isTruncated: false))
        #expect(
            items == [.restarted(missed), .event(events[0]), .event(events[1]), .restarted(now), .event(events[2])])
        #expect(end == .caughtUp)
        #expect(cursor.asked == (now, 1))
    }

    @Test func aCoordinatorThatRepeatsAPageOfLeftEpochsIsNotAskedForEver() throws {
        var cursor = cursor(seen: 3)
        let now = Epoch.random()
        _ = cursor.process(EventReplay(epoch: now, events: [], lastSequence: 0, isTruncated: false))
        let page = EventReplay(epoch: now, events: [try .test(1, of: epoch)], lastSequence: 2, isTruncated: true)
        let pages = (1...4).map { _ in cursor.process(page) }
        #expect(pages.last?.progress == .caughtUp)
        #expect(pages.flatMap(\.items) == [.skipped(count: 2)])
    }

    @Test func theLargestSequenceDoesNotOverflow() throws {
        var cursor = cursor(seen: UInt64(Int64.max))
        #expect(cursor.process(try .test(1, of: epoch)) == .drop)
        cursor.anchor(epoch: epoch, after: .max)
        #expect(cursor.process(try .test(1, of: epoch)) == .drop)
    }
}
