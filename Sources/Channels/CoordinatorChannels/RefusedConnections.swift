import PosixSupport
import ZeroMQ

/// Connections that the coordinator's channels refused or ended. Kept beside the sockets, whose threads a rogue may keep busy, so
/// that whoever asks need not wait for these.
struct RefusedConnections: Sendable {
    private let sockets: CoordinatorSockets
    private let kept = Locked<[String: [ConnectionRefusal: Int]]>([:])

    init(of sockets: CoordinatorSockets) {
        self.sockets = sockets
    }

    /// How many, by channel and cause, such as `feed.topicLimit`; those that are none are not in it.
    var counts: [String: UInt64] {
        let channels = kept.withLock(\.self)
        return Dictionary(
            uniqueKeysWithValues: channels.flatMap { channel, counts in
                counts.map { ("\(channel).\($0.key.rawValue)", UInt64($0.value)) }
            })
    }

    /// Follows the sockets until they are closed or the task is cancelled. The one consumer of their connection events.
    func follow() async {
        await withDiscardingTaskGroup { [sockets] group in
            group.addTask {
                await follow(sockets.control.connectionEvents, "control") { await sockets.control.counters }
            }
            group.addTask { await follow(sockets.clock.connectionEvents, "clock") { await sockets.clock.counters } }
            group.addTask {
                await follow(sockets.collect.connectionEvents, "collect") { await sockets.collect.counters }
            }
            group.addTask { await follow(sockets.client.connectionEvents, "client") { await sockets.client.counters } }
            group.addTask { await follow(sockets.feed.connectionEvents, "feed") { await sockets.feed.counters } }
        }
    }

    private func follow(
        _ events: AsyncStream<ConnectionEvent>, _ channel: String, _ counters: @Sendable () async -> SocketCounters
    ) async {
        for await _ in events {
            let refusals = await counters().connectionRefusals
            kept.withLock { $0[channel] = refusals }
        }
    }
}
