internal import CaptureModel
internal import NIOCore
internal import RigSecurity

internal import class PosixSupport.Locked

/// The connections that a gateway serves: ends those that ``ConnectionTable`` names, and counts why connections are ended.
final class OpenConnections: Sendable {
    /// Connections that the gateway has ended, by cause.
    struct Figures: Hashable {
        var ofLimits: [ConnectionTable.Limit: UInt64] = [:]
        var ofParts: [ConnectionStages.Part: UInt64] = [:]
    }

    fileprivate struct State {
        var table = ConnectionTable()
        var channels: [ConnectionTable.Number: any Channel] = [:]
        var figures = Figures()
    }

    private let state = Locked(State())
    private let sessions: ConfirmedSessions
    private let time: any TimeSource

    /// - Parameter sessions: Those that count as sessions.
    init(sessions: ConfirmedSessions, time: any TimeSource) {
        (self.sessions, self.time) = (sessions, time)
    }

    var figures: Figures { state.withLock(\.figures) }

    func opened(_ channel: any Channel, by source: ConnectionTable.Source) -> ConnectionTable.Number {
        let now = time.now()
        let (number, surplus) = state.withLock { state in
            let (number, surplus) = state.table.opened(source, at: now)
            state.channels[number] = channel
            return (number, surplus.flatMap { state.leaving($0) })
        }
        end(surplus)
        return number
    }

    /// Notes that the head of a request was read.
    /// - Parameter session: What it shows, which need not be a session.
    func began(_ number: ConnectionTable.Number, session: SessionSecret?) {
        change { table, now in
            let isConfirmed = session.map { sessions.kind(of: $0, at: now) != nil } ?? false
            return table.began(number, session: session, isConfirmed: isConfirmed, at: now)
        }
    }

    func wasRead(_ number: ConnectionTable.Number) { state.withLock { $0.table.wasRead(number) } }

    func waits(_ number: ConnectionTable.Number) { change { $0.waits(number, at: $1) } }

    /// Notes that the coordinator has confirmed a session.
    func confirmed(_ session: SessionSecret) { state.withLock { $0.table.confirmed(session) } }

    /// - Parameter part: What took too long; nil if the connection ended otherwise.
    func ended(_ number: ConnectionTable.Number, lateWith part: ConnectionStages.Part? = nil) {
        state.withLock { state in
            state.table.ended(number)
            state.channels[number] = nil
            if let part { state.figures.ofParts[part, default: 0] += 1 }
        }
    }

    private func change(_ event: (inout ConnectionTable, LocalTime) -> ConnectionTable.Surplus?) {
        let now = time.now()
        end(state.withLock { state in event(&state.table, now).flatMap { state.leaving($0) } })
    }

    /// Ends a connection once its wait is over, if it is surplus then.
    private func end(_ leaving: Leaving?) {
        guard let (surplus, channel) = leaving else { return }
        channel.eventLoop.scheduleTask(in: .nanoseconds(surplus.wait.nanoseconds)) { [self] in
            guard state.withLock({ $0.end(surplus.number) }) else { return }
            ArrivalWatch.end(channel)
        }
    }

    fileprivate typealias Leaving = (surplus: ConnectionTable.Surplus, channel: any Channel)
}

extension OpenConnections.State {
    fileprivate func leaving(_ surplus: ConnectionTable.Surplus) -> OpenConnections.Leaving? {
        channels[surplus.number].map { (surplus, $0) }
    }

    /// - Returns: Whether to close its channel.
    fileprivate mutating func end(_ number: ConnectionTable.Number) -> Bool {
        guard let limit = table.end(number) else { return false }
        figures.ofLimits[limit, default: 0] += 1
        channels[number] = nil
        return true
    }
}
