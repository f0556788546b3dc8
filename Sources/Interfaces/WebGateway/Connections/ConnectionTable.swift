internal import CaptureModel
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
/// The oldest is one whose request is awaited or read, if there is one, and otherwise one whose request is answered. It ends once it has been
/// open for ``grace``, unless its request shows a session or was read by then: strangers who connect again at once, thousands in a second,
/// leave a client the time to send its request. If all places are taken until then, further connections wait in the kernel; so they do if
/// all connections have sessions, of which none ends.
struct ConnectionTable {
    static let all = 1024
    static let strangers = 512
    static let ofAddress = 64
    static let beingRead = 256
    /// How long each connection may be open. A client sends its request in milliseconds.
    static let grace = Duration.milliseconds(200)

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
        let openedAt: LocalTime
        /// What its newest request shows; nil for none.
        var session: SessionSecret?
        var isConfirmed = false { didSet { if isConfirmed { surplus = nil } } }
        var isAnswered = false { didSet { if isAnswered { surplus = nil } } }
        /// Why it is to end.
        var surplus: Limit?

        /// Whether it takes a place of strangers.
        var isStranger: Bool { !isConfirmed && surplus == nil }
    }

    private var connections: [Number: Connection] = [:]
    private var last: Number = 0

    var count: Int { connections.count }

    /// - Returns: The number of the connection, and which one is to end.
    mutating func opened(_ source: Source, at now: LocalTime) -> (number: Number, surplus: Surplus?) {
        last += 1
        connections[last] = Connection(source: source, openedAt: now)
        return (last, surplus(beside: last, at: now))
    }

    /// Notes that the head of a request was read.
    mutating func began(
        _ number: Number, session: SessionSecret?, isConfirmed: Bool, at now: LocalTime
    ) -> Surplus? {
        change(number, at: now) { ($0.session, $0.isConfirmed, $0.isAnswered) = (session, isConfirmed, false) }
    }

    /// Notes that a request was read to its end, and is answered.
    mutating func wasRead(_ number: Number) {
        connections[number]?.isAnswered = true
    }

    /// Notes that the next request is awaited.
    mutating func waits(_ number: Number, at now: LocalTime) -> Surplus? {
        change(number, at: now) { $0.isAnswered = false }
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

    /// A connection that is to end.
    struct Surplus: Equatable {
        let number: Number
        /// How long after now; not negative.
        let wait: Duration
    }

    /// Forgets a surplus connection whose wait is over.
    /// - Returns: Why it ends; nil if it does not end, because its request was read or shows a session.
    mutating func end(_ number: Number) -> Limit? {
        guard let limit = connections[number]?.surplus else { return nil }
        connections[number] = nil
        return limit
    }

    private mutating func change(_ number: Number, at now: LocalTime, _ body: (inout Connection) -> Void) -> Surplus? {
        guard var connection = connections[number] else { return nil }
        body(&connection)
        connections[number] = connection
        return connection.isStranger ? surplus(beside: number, at: now) : nil
    }

    /// Each event adds one to what is limited, so one connection is surplus at most.
    private mutating func surplus(beside number: Number, at now: LocalTime) -> Surplus? {
        // The smallest limit.
        guard connections.count > Self.ofAddress, let source = connections[number]?.source else { return nil }
        var (strangers, ofSource, reading, ending) = (0, 0, 0, 0)
        for connection in connections.values {
            if connection.surplus != nil { ending += 1 }
            guard connection.isStranger else { continue }
            strangers += 1
            guard connection.source == source else { continue }
            ofSource += 1
            if !connection.isAnswered { reading += 1 }
        }
        if source != .trusted, ofSource > Self.ofAddress { return mark(.ofAddress, at: now) { $0.source == source } }
        if source == .trusted, reading > Self.beingRead {
            return mark(.beingRead, at: now) { $0.source == source && !$0.isAnswered }
        }
        guard strangers > Self.strangers || connections.count - ending >= Self.all else { return nil }
        let most = busiestSource
        return mark(.strangers, at: now) { $0.source == most }
    }

    /// The source that has most strangers.
    private var busiestSource: Source? {
        var counts: [Source: Int] = [:]
        for connection in connections.values where connection.isStranger { counts[connection.source, default: 0] += 1 }
        return counts.max { $0.value < $1.value }?.key
    }

    private mutating func mark(_ limit: Limit, at now: LocalTime, _ isMeant: (Connection) -> Bool) -> Surplus? {
        var oldest: (number: Number, connection: Connection)?
        for (number, connection) in connections where connection.isStranger && isMeant(connection) {
            if let oldest {
                let (answered, isOlder) = (oldest.connection.isAnswered, number < oldest.number)
                guard answered == connection.isAnswered ? isOlder : answered else { continue }
            }
            oldest = (number, connection)
        }
        guard let oldest else { return nil }
        connections[oldest.number]?.surplus = limit
        return Surplus(number: oldest.number, wait: max(oldest.connection.openedAt + Self.grace - now, .zero))
    }
}
