import CaptureModel
import CaptureTestSupport
import Testing

@testable import Catalogue

@Suite struct PendingShotsTests {
    private var generator = SeededGenerator(seed: 5)

    private mutating func id() -> ShotID { ShotID(unixMilliseconds: 1_793_491_200_000, using: &generator) }

    private func known(_ pending: PendingShots) -> [ShotID]? {
        if case .current(let shots) = pending.state { shots.keys.sorted() } else { nil }
    }

    @Test mutating func `an index that was never compared is relied on`() {
        var pending = PendingShots()
        pending.note(id(), day: "2026/11/21")
        #expect(known(pending) == nil)
        pending.begin()
        #expect(known(pending) == nil)
        pending.finish()
        #expect(known(pending) == [])
    }

    @Test mutating func `a shot noted while the library is compared, or written, is taken for indexed`() {
        var pending = PendingShots()
        let (first, second) = (id(), id())
        pending.begin()
        pending.note(first, day: "2026/11/21")
        pending.finish()
        #expect(known(pending) == [first])
        #expect(pending.take() == [first: "2026/11/21"])
        pending.note(second, day: "2026/11/21")
        #expect(known(pending) == [first, second].sorted())
        pending.commit()
        #expect(known(pending) == [second])
        #expect(!pending.isEmpty)
    }

    @Test mutating func `what was taken and not written is lost`() {
        var pending = PendingShots()
        let first = id()
        pending.begin()
        pending.finish()
        pending.note(first, day: "2026/11/21")
        _ = pending.take()
        pending.fail()
        #expect(known(pending) == nil)
        pending.begin()
        pending.finish()
        #expect(known(pending) == [])
        #expect(pending.counters.failures == 1)
    }

    @Test mutating func `a flood of shots takes memory without end, or is forgotten`() {
        var pending = PendingShots()
        pending.begin()
        pending.finish()
        for _ in 0..<PendingShots.limit { pending.note(id(), day: "2026/11/21") }
        #expect(known(pending)?.count == PendingShots.limit)
        pending.note(id(), day: "2026/11/21")
        #expect(known(pending) == nil)
        #expect(pending.counters.overflows == 1)
        #expect(pending.take().count == PendingShots.limit)
        pending.commit()
        #expect(known(pending) == nil)
        pending.begin()
        for _ in 0...PendingShots.limit { pending.note(id(), day: "2026/11/21") }
        pending.finish()
        #expect(known(pending) == nil)
        pending.begin()
        pending.finish()
        #expect(known(pending) == [])
    }
}
