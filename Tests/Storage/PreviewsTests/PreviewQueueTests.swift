import CaptureModel
import CaptureTestSupport
import Testing

@testable import Previews

@Suite struct PreviewQueueTests {
    @Test("Who has just taken a picture waits for the pictures of a thousand older ones")
    func newestFirst() {
        var queue = PreviewQueue()
        #expect(queue.next() == .list)
        queue.listed(["2026/11/20", "2026/11/21"])
        #expect(queue.next() == .compare(day: "2026/11/21"))
        queue.compared([place(1), place(2)])
        #expect(queue.next() == .make(place(2)))
        queue.note(place(7))
        queue.note(place(8))
        queue.note(place(7))
        #expect([queue.next(), queue.next(), queue.next()] == [.make(place(7)), .make(place(8)), .make(place(1))])
        #expect(queue.next() == .compare(day: "2026/11/20"))
        queue.compared([])
        #expect(queue.counters.comparisons == 1)
        #expect(queue.next() == .rest)
        queue.failed()
        #expect(queue.next() == .list)
    }

    @Test("A rig that is faster than the pictures fills the memory, or shots stay without them for ever")
    func overflows() {
        var queue = PreviewQueue()
        _ = queue.next()
        queue.listed([])
        #expect(queue.next() == .rest)
        for number in 0..<PreviewQueue.limit + 2 { queue.note(place(Int64(number))) }
        #expect(queue.counters.overflows == 2)
        var made: Set<PreviewQueue.Place> = []
        while case .make(let place) = queue.next() { made.insert(place) }
        #expect(made.count == PreviewQueue.limit && !made.contains(place(0)) && !made.contains(place(1)))
        // The step that was no picture was the list of all days.
        queue.listed(["2026/11/21"])
        #expect(queue.next() == .compare(day: "2026/11/21"))
    }

    private func place(_ number: Int64) -> PreviewQueue.Place {
        .init(id: StoredShot.id(number), day: "2026/11/21")
    }
}
