import Testing
import ZeroMQ

@Suite(.timeLimit(.minutes(1)))
struct ZeroCopyTests {
    /// Memory that reports its release.
    @safe private final class Owner: Sendable {
        /// Guard: written in `init` only.
        nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer
        private let released: AsyncStream<Void>.Continuation

        init(count: Int, released: AsyncStream<Void>.Continuation) {
            unsafe memory = .allocate(byteCount: count, alignment: 16)
            for index in 0..<count { unsafe memory[index] = UInt8(truncatingIfNeeded: index / 1_000) }
            self.released = released
        }

        func part() -> MessagePart { unsafe MessagePart(retaining: self, bytes: UnsafeRawBufferPointer(memory)) }

        deinit {
            unsafe memory.deallocate()
            released.yield()
        }
    }

    @Test(
        "The owner of memory that is sent in place is released exactly once, after the last use",
        arguments: [65_536, 2_000_000])
    func releasedOnce(count: Int) async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            let (releases, continuation) = AsyncStream.makeStream(of: Void.self)
            var iterator = releases.makeAsyncIterator()
            for _ in 0..<20 {
                let sent = await dealer.send(Message([Owner(count: count, released: continuation).part()]))
                #expect(sent == .sent)
                let received = try #require(await router.receive()?.message.parts.first)
                #expect(received.count == count)
                received.withBytes { bytes in
                    #expect(bytes.byteCount == count)
                    #expect(unsafe bytes.unsafeLoad(fromByteOffset: 65_535, as: UInt8.self) == 65)
                }
                await iterator.next()
            }
            continuation.finish()
            #expect(await iterator.next() == nil, "Nothing is released twice.")
        }
    }

    @Test("Memory that could not be sent is released too")
    func releasedWhenRefused() async throws {
        try await TestRig.run { rig in
            let (dealer, router, _) = try await rig.pair()
            let (releases, continuation) = AsyncStream.makeStream(of: Void.self)
            var iterator = releases.makeAsyncIterator()
            let message = Message([Owner(count: 70_000, released: continuation).part()])
            _ = await router.send(consume message, to: PeerID(bytes: [9]))
            await iterator.next()
            let queued = try rig.dealer()
            _ = await queued.send(Message([Owner(count: 70_000, released: continuation).part()]))
            await queued.close()
            await iterator.next()
            await dealer.close()
            let late = Message([Owner(count: 70_000, released: continuation).part()])
            #expect(await dealer.send(consume late) == .refused(.closed))
            await iterator.next()
        }
    }

    @Test("A small part is copied, so its owner may go at once")
    func smallIsCopied() async throws {
        let (releases, continuation) = AsyncStream.makeStream(of: Void.self)
        var iterator = releases.makeAsyncIterator()
        let part = Owner(count: 65_535, released: continuation).part()
        await iterator.next()
        #expect(part.bytes.last == 65)
    }
}
