import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(10)))
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

    @Test("Releases memory that could not be sent")
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

    @Test("Copies a small part, so that its owner may go at once")
    func smallIsCopied() async throws {
        let (releases, continuation) = AsyncStream.makeStream(of: Void.self)
        var iterator = releases.makeAsyncIterator()
        let part = Owner(count: 65_535, released: continuation).part()
        await iterator.next()
        #expect(part.bytes.last == 65)
    }
}

@Suite(.timeLimit(.minutes(10)))
struct AddressFamilyTests {
    @Test(
        "A socket bound to IPv6 or to every address is reached by each address that it has",
        arguments: [
            ("tcp://[::1]:*", ["[::1]"]), ("tcp://*:*", ["[::1]", "127.0.0.1"]),
            ("tcp://[::]:*", ["[::1]", "127.0.0.1"]),
            ("tcp://127.0.0.1:*", ["127.0.0.1", "[::ffff:127.0.0.1]"]),
        ])
    func reached(bound: String, hosts: [String]) async throws {
        try await TestRig.run { rig in
            let router = try rig.router()
            let port = try #require(EndpointHost.port(of: try await router.bind(to: bound)))
            for host in hosts {
                let (dealer, _) = try await rig.connected(to: "tcp://\(host):\(port)", of: router)
                let local = host.contains("127") ? "127.0.0.1" : "::1"
                try await eventually { await dealer.localAddress == local }
            }
        }
    }

    @Test("Connects by whichever address family is listened on, also when that changes")
    func name() async throws {
        try await TestRig.run { rig in
            var options = SocketOptions()
            options.reconnectInterval = .milliseconds(10)
            options.reconnectIntervalMax = .milliseconds(20)
            let first = try rig.router()
            let endpoint = try await first.bind(to: "tcp://127.0.0.1:*")
            let port = try #require(EndpointHost.port(of: endpoint))
            let (dealer, peer) = try await rig.connected(to: "tcp://localhost:\(port)", of: first, options)
            #expect(await first.send(Message(text: "by IPv4"), to: peer) == .sent)
            #expect(await dealer.receive()?.texts == ["by IPv4"])
            await first.close()
            try await eventually { await dealer.counters.disconnects == 1 }
            try await eventually { await dealer.counters.connectRetries > 20 }
            let second = try rig.router()
            try await second.bind(to: endpoint)
            _ = await dealer.send(Message(text: "found again"))
            #expect(await second.receive()?.message.texts == ["found again"])
        }
    }

    @Test(
        "The host of an endpoint decides about the family of its address",
        arguments: [
            ("tcp://*:*", EndpointHost.any), ("tcp://[::1]:7710", .ipv6), ("tcp://[fe80::1%eth0]:1", .ipv6),
            ("tcp://127.0.0.1:7710", .other), ("tcp://rig:7710", .name), ("tcp://1.rig:7710", .name),
            ("tcp://10.0.0.1:0;[fd00::1]:7710", .ipv6), ("ipc:///run/rig", .other), ("inproc://rig", .other),
            ("tcp://:1", .other), ("tcp://", .other), ("", .other),
        ])
    func hosts(endpoint: String, expected: EndpointHost) {
        #expect(EndpointHost(endpoint) == expected)
    }

    @Test("Alternates between both families, and prefers the one that worked")
    func turns() {
        func turns(_ search: inout AddressFamilySearch, _ count: Int) -> [Bool] {
            (0..<count).map { _ in
                let turn = search.usesIPv6
                _ = search.failed()
                return turn
            }
        }
        var search = AddressFamilySearch()
        let first = [false] + [true, true] + [false, false, false, false] + [true, true, true, true] + [false]
        #expect(turns(&search, first.count) == first)
        #expect(turns(&search, 4) == [false, false, false, true])
        search.succeeded()
        #expect(turns(&search, 3) == [true, true, false])
    }
}
