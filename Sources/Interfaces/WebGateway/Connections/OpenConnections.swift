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
        let (number, surplus) = state.withLock { state in
            let opened = state.table.opened(source)
            state.channels[opened.number] = channel
            return (opened.number, state.end(opened.surplus))
        }
        surplus.map(ArrivalWatch.end)
        return number
    }

    /// Notes that the head of a request was read.
    /// - Parameter session: What it shows, which need not be a session.
    func began(_ number: ConnectionTable.Number, session: SessionSecret?) {
        let isConfirmed = session.map { sessions.kind(of: $0, at: time.now()) != nil } ?? false
        end { $0.began(number, session: session, isConfirmed: isConfirmed) }
    }

    func wasRead(_ number: ConnectionTable.Number) { state.withLock { $0.table.wasRead(number) } }

    func waits(_ number: ConnectionTable.Number) { end { $0.waits(number) } }

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

    private func end(_ event: (inout ConnectionTable) -> ConnectionTable.Surplus?) {
        let surplus = state.withLock { state in state.end(event(&state.table)) }
        surplus.map(ArrivalWatch.end)
    }
}

extension OpenConnections.State {
    /// - Returns: The channel to close.
    fileprivate mutating func end(_ surplus: ConnectionTable.Surplus?) -> (any Channel)? {
        guard let surplus else { return nil }
        figures.ofLimits[surplus.limit, default: 0] += 1
        return channels.removeValue(forKey: surplus.number)
    }
}
