import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(1)))
struct JoinedPartTests {
    @Test("A part made of several arrays arrives in another order, or not whole", arguments: [0, 1, 100, 500_000])
    func arrivesWhole(count: Int) async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            let pieces = [Array("topic\0".utf8), [], (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }, [9, 8, 7]]
            let part = MessagePart(joining: pieces)
            #expect(part.count == count + 9)
            #expect(part.bytes == pieces.flatMap(\.self))
            #expect(await dealer.send(Message([part, MessagePart([1])])) == .sent)
            let received = try #require(await router.receive()?.message)
            #expect(received.parts.map(\.bytes) == [pieces.flatMap(\.self), [1]])
        }
    }

    @Test("A program reads other bytes of a joined part than its peer")
    func readInPlace() {
        let part = MessagePart(joining: [[1, 2], [3]])
        #expect(part.withSpan { span in span.indices.map { span[$0] } } == [1, 2, 3])
        #expect(part.withBytes { $0.byteCount } == 3)
        #expect(MessagePart(joining: []).bytes.isEmpty)
    }
}
