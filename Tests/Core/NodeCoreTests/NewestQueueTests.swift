import Testing

@testable import NodeCore

@Suite struct NewestQueueTests {
    @Test("What had to go for want of room is not counted, or counted twice")
    func counted() async {
        let queue = NewestQueue<Int>(limit: 3)
        for element in 0..<5 { queue.yield(element) }
        #expect(queue.takeLost() == 2 && queue.takeLost() == 0)
        var elements = queue.elements.makeAsyncIterator()
        for element in 2..<5 { #expect(await elements.next() == element) }
        queue.yield(5)
        #expect(queue.takeLost() == 0)
    }
}
