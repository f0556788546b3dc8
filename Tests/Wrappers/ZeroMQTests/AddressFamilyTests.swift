import Testing

@testable import ZeroMQ

@Suite(.timeLimit(.minutes(1)))
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

    @Test("A name is connected to by whichever of its families is listened on, also when that changes")
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

    @Test("Both families have their turn for ever, and the one that was right has the first two")
    func turns() {
        func turns(_ search: inout FamilySearch, _ count: Int) -> [Bool] {
            (0..<count).map { _ in
                let turn = search.usesIPv6
                _ = search.failed()
                return turn
            }
        }
        var search = FamilySearch()
        let first = [false] + [true, true] + [false, false, false, false] + [true, true, true, true] + [false]
        #expect(turns(&search, first.count) == first)
        #expect(turns(&search, 4) == [false, false, false, true])
        search.succeeded()
        #expect(turns(&search, 3) == [true, true, false])
    }
}
