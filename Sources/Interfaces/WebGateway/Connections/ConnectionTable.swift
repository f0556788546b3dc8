internal import RigSecurity

/// The connections of a gateway, and which of them ends where there are too many. Strangers must not keep sessions out.
///
/// A connection is one of a *stranger* unless its newest request has a session that the coordinator has confirmed.
///
/// | strangers | at most | beyond that ends |
/// |---|---|---|
/// | of one address that is not trusted | ``ofAddress`` | the oldest of them |
/// | of all trusted addresses, whose request is awaited or read | ``beingRead`` | the oldest of them |
/// | of all addresses | ``strangers`` | the oldest of the source that has most |
/// | connections of strangers and of sessions | ``all`` | the same |
///
/// The oldest is one whose request is awaited or read, if there is one, and otherwise one whose request is answered. A client sends its request
/// in milliseconds, so it would be the oldest only if as many strangers as there are places came in that time. If all connections have
/// sessions, none ends; further ones wait in the kernel.
struct ConnectionTable {
    static let all = 1024
    static let strangers = 512
    static let ofAddress = 64
    static let beingRead = 256

    /// Who makes connections.
    enum Source: Hashable {
        /// This machine, or a reverse proxy, which connects for others.
        case trusted
        case machine(UInt32)
        /// The first 64 bits of an IPv6 address. One machine can have any of the addresses that begin so.
        case network(UInt64)
        case unknown

        init(_ address: IPAddress?, isTrusted: Bool) {
            self =
                switch address?.unmapped {
                case _ where isTrusted: .trusted
                case .v4(let number): .machine(number)
                case .v6(let high, _): .network(high)
                case nil: .unknown
                }
        }
    }

    /// Which limit ends a connection.
    enum Limit: String, CaseIterable {
        case ofAddress, beingRead, strangers
    }

    /// The number of a connection, in the order of their acceptance.
    typealias Number = UInt64

    private struct Connection {
        let source: Source
        /// What its newest request shows; nil for none.
        var session: SessionSecret?
        var isConfirmed = false
        var isAnswered = false
    }

    private var connections: [Number: Connection] = [:]
    private var last: Number = 0

    var count: Int { connections.count }

    /// - Returns: The number of the connection, and which one is to end.
    mutating func opened(_ source: Source) -> (number: Number, surplus: Surplus?) {
        last += 1
        connections[last] = Connection(source: source)
        return (last, surplus(beside: last))
    }

    /// Notes that the head of a request was read.
    mutating func began(_ number: Number, session: SessionSecret?, isConfirmed: Bool) -> Surplus? {
        change(number) { ($0.session, $0.isConfirmed, $0.isAnswered) = (session, isConfirmed, false) }
    }

    /// Notes that a request was read to its end, and is answered.
    mutating func wasRead(_ number: Number) {
        connections[number]?.isAnswered = true
    }

    /// Notes that the next request is awaited.
    mutating func waits(_ number: Number) -> Surplus? {
        change(number) { $0.isAnswered = false }
    }

    /// Notes that the coordinator has confirmed a session.
    mutating func confirmed(_ session: SessionSecret) {
        for (number, connection) in connections where connection.session == session {
            connections[number]?.isConfirmed = true
        }
    }

    mutating func ended(_ number: Number) {
        connections[number] = nil
    }

    /// A connection that is to end, which the table has forgotten.
    struct Surplus: Equatable {
        let number: Number
        let limit: Limit
    }

    private mutating func change(_ number: Number, _ body: (inout Connection) -> Void) -> Surplus? {
        guard var connection = connections[number] else { return nil }
        body(&connection)
        connections[number] = connection
        return connection.isConfirmed ? nil : surplus(beside: number)
    }

    /// Each event adds one to what is limited, so one connection is surplus at most.
    private mutating func surplus(beside number: Number) -> Surplus? {
        // The smallest limit.
        guard connections.count > Self.ofAddress, let source = connections[number]?.source else { return nil }
        var (all, reading, ofSource) = (0, 0, [Source: Int]())
        for connection in connections.values where !connection.isConfirmed {
            all += 1
            ofSource[connection.source, default: 0] += 1
            if connection.source == .trusted, !connection.isAnswered { reading += 1 }
        }
        if source != .trusted, ofSource[source, default: 0] > Self.ofAddress {
            return end(.ofAddress) { $0.source == source }
        }
        if source == .trusted, reading > Self.beingRead {
            return end(.beingRead) { $0.source == .trusted && !$0.isAnswered }
        }
        guard all > Self.strangers || connections.count >= Self.all else { return nil }
        let most = ofSource.max { $0.value < $1.value }?.key
        return end(.strangers) { $0.source == most }
    }

    private mutating func end(_ limit: Limit, _ isMeant: (Connection) -> Bool) -> Surplus? {
        let candidates = connections.filter { !$0.value.isConfirmed && isMeant($0.value) }
        let oldest = candidates.min { left, right in
            (left.value.isAnswered ? 1 : 0, left.key) < (right.value.isAnswered ? 1 : 0, right.key)
        }
        guard let oldest else { return nil }
        connections[oldest.key] = nil
        return Surplus(number: oldest.key, limit: limit)
    }
}
