import Testing

@testable import ZeroMQ

@Suite
struct QueueTests {
    private func queue(_ limit: Int, bytes: Int = .max, _ policy: OverflowPolicy) -> SendQueue {
        var options = SocketOptions()
        options.sendQueueLimit = limit
        options.sendQueueByteLimit = bytes
        options.overflowPolicy = policy
        return SendQueue(options: options)
    }

    @Test("Returns elements in the order they were added")
    func order() {
        var queue = Queue<Int>()
        var (next, expected) = (0, 0)
        for round in 0..<500 {
            for _ in 0..<(round * 7 % 13) {
                queue.append(next)
                next += 1
            }
            for _ in 0..<(round * 5 % 11) {
                guard let element = queue.popFirst() else { break }
                #expect(element == expected)
                expected += 1
            }
            #expect(queue.count == next - expected)
            #expect(queue.first == (queue.isEmpty ? nil : expected))
        }
    }

    @Test("Keeps its elements when it is full and refuses the newest")
    func refuseNewest() {
        var queue = queue(2, .refuseNewest)
        #expect(queue.append(Message([1])) == .queued(dropped: 0))
        #expect(queue.append(Message([2])) == .queued(dropped: 0))
        #expect(queue.append(Message([3])) == .refused)
        #expect(queue.first?.parts.first?.bytes == [1])
    }

    @Test("Drops the oldest by number and by bytes when it is full")
    func dropOldest() {
        var queue = queue(10, bytes: 10, .dropOldest)
        for size in [4, 4] { #expect(queue.append(Message([UInt8](repeating: 0, count: size))) == .queued(dropped: 0)) }
        #expect(queue.append(Message([UInt8](repeating: 9, count: 7))) == .queued(dropped: 2))
        #expect(queue.count == 1)
        #expect(queue.byteCount == 7)
    }

    @Test("Sends a message larger than the byte limit alone")
    func oversized() {
        let large = Message([UInt8](repeating: 0, count: 11))
        var queue = queue(10, bytes: 10, .refuseNewest)
        #expect(queue.append(large) == .queued(dropped: 0))
        #expect(queue.append(Message([1])) == .refused)
        queue.removeFirst()
        #expect(queue.append(Message([1])) == .queued(dropped: 0))
        #expect(queue.append(large) == .refused)
    }

    @Test("Backs off from a peer that reads nothing, and returns at once when it reads")
    func retryPauses() {
        var backlog = RouterBacklog(options: SocketOptions())
        let peer = PeerID(bytes: [1])
        for number in 0..<3 { _ = backlog.append(Message([UInt8(number)]), for: peer, atNanoseconds: 0) }
        var now: Int64 = 0
        var pauses: [Int64] = []
        for _ in 0..<6 {
            let due = backlog.retryAtNanoseconds ?? -1
            pauses.append((due - now) / 1_000_000)
            now = due
            _ = backlog.retry(atNanoseconds: now) { _, _ in .wouldBlock }
        }
        #expect(pauses == [1, 2, 4, 8, 16, 16])
        var taken = 0
        _ = backlog.retry(atNanoseconds: now) { _, _ in
            taken += 1
            return taken == 1 ? .done : .wouldBlock
        }
        #expect(backlog.retryAtNanoseconds == now + 1_000_000)
        #expect(backlog.count == 2)
        #expect(backlog.retry(atNanoseconds: now) { _, _ in .unreachable } == 2)
        #expect(backlog.retryAtNanoseconds == nil)
        #expect(backlog.byteCount == 0)
    }

    @Test("Matches topics by prefix, within limits")
    func topics() {
        var topics = TopicSet()
        #expect(!topics.matches([]))
        #expect(topics.insert([1, 2], by: nil) == true)
        #expect(topics.insert([1, 2], by: nil) == false)
        #expect(topics.matches([1, 2, 3]))
        #expect(!topics.matches([1]))
        #expect(topics.insert([UInt8](repeating: 0, count: 65), by: nil) == false)
        for number in 0..<20_000 { _ = topics.insert([UInt8(number & 255), UInt8(number >> 8), 7], by: nil) }
        #expect(topics.all.count == 10_000)
        #expect(topics.remove([1, 2]) == .some(nil) && topics.remove([1, 2]) == nil)
    }

    @Test("Counts topics by connection, also where a descriptor is reused")
    func subscriberTopics() {
        var subscribers = SubscriberTopics()
        #expect(subscribers.count(topicBy: nil) == (nil, nil) && subscribers.count(topicBy: 5) == (nil, nil))
        subscribers.accepted(descriptor: 5, port: 7714)
        let first = subscribers.count(topicBy: 5).subscriber
        for _ in 1..<256 { #expect(subscribers.count(topicBy: 5).endAtPort == nil) }
        subscribers.discount(topicOf: first)
        #expect(subscribers.count(topicBy: 5) == (first, nil))
        #expect(subscribers.count(topicBy: 5) == (first, 7714))
        #expect(subscribers.count(topicBy: 5) == (first, nil), "it is ended once")
        subscribers.accepted(descriptor: 5, port: 7714)
        for _ in 1...256 { #expect(subscribers.count(topicBy: 5).endAtPort == nil) }
        subscribers.discount(topicOf: first)
        #expect(subscribers.count(topicBy: 5).endAtPort == 7714)
    }

    @Test(
        "Durations become whole milliseconds, rounded up and within range",
        arguments: [
            (Duration.zero, Int32(0)), (.nanoseconds(1), 1), (.milliseconds(500), 500), (.seconds(2), 2_000),
            (.seconds(-1), 0), (.seconds(Int64.max), .max),
        ])
    func milliseconds(duration: Duration, expected: Int32) {
        #expect(SocketOptions.milliseconds(duration) == expected)
    }
}
