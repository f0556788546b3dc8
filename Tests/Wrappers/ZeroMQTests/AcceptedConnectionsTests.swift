import Testing

@testable import ZeroMQ

/// The table of ``AcceptedConnections``.
@Suite struct AcceptedConnectionsTests {
    private func accept(_ descriptors: ClosedRange<Int32>, in connections: inout AcceptedConnections) -> [Int32] {
        descriptors.compactMap { connections.accepted($0, port: 1)?.descriptor }
    }

    @Test func `a further connection ends the oldest that has not completed its handshake`() {
        var connections = AcceptedConnections(limit: 3, tellsUsable: true)
        #expect(accept(1...3, in: &connections) == [])
        connections.becameUsable(1)
        #expect(accept(4...4, in: &connections) == [2])
        connections.ended(2)
        #expect(connections.count == 3)
        #expect(accept(5...6, in: &connections) == [3, 4], "each is ended once, before its end is told")
    }

    @Test func `where all are usable, the further one ends`() {
        var connections = AcceptedConnections(limit: 2, tellsUsable: true)
        _ = accept(1...2, in: &connections)
        connections.becameUsable(1)
        connections.becameUsable(2)
        #expect(accept(3...3, in: &connections) == [3])
    }

    @Test func `a descriptor that is used again is another connection`() {
        var connections = AcceptedConnections(limit: 2, tellsUsable: true)
        _ = accept(1...2, in: &connections)
        connections.ended(1)
        #expect(accept(1...1, in: &connections) == [])
        #expect(accept(3...3, in: &connections) == [2])
    }

    @Test func `a library that does not tell which are usable has the further one ended`() {
        var connections = AcceptedConnections(limit: 2, tellsUsable: false)
        #expect(accept(1...4, in: &connections) == [3, 4])
    }

    @Test(arguments: [true, false]) func `connections that come and go leave nothing behind beside one that stays`(
        tellsUsable: Bool
    ) {
        var connections = AcceptedConnections(limit: 9, tellsUsable: tellsUsable)
        _ = connections.accepted(1, port: 1)
        connections.becameUsable(1)
        for _ in 0..<1000 {
            _ = connections.accepted(2, port: 1)
            connections.ended(2)
        }
        #expect(connections.count == 1 && connections.order.count <= 1)
    }

    @Test func `the connections of a listener that was closed are gone, and others stay`() {
        var connections = AcceptedConnections(limit: 3, tellsUsable: true)
        _ = connections.accepted(1, port: 7710)
        _ = connections.accepted(2, port: 7716)
        connections.ended(at: 7710)
        #expect(connections.count == 1)
        #expect(accept(3...4, in: &connections) == [])
    }

    @Test func `no limit ends nothing`() {
        var connections = AcceptedConnections(limit: 0, tellsUsable: true)
        #expect(accept(1...100, in: &connections) == [])
    }
}
