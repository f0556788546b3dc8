public import PosixSupport

/// Tells those who wait for a device that one has appeared, or may have, so that they need not wait for their next try.
///
/// An arrival says no more than "look again": which device it is, the one who waits finds out by starting its own. Where
/// the system announces nothing, as in most containers, there are no arrivals, and the tries at intervals remain.
///
/// Two arrivals come of one device where udev runs: when the kernel has made the node, and when udev has given it its
/// permissions and links. `udevadm trigger` makes one too, so that a device is opened when a new rule permits it.
public final class DeviceArrivals: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let state = Locked(State())

    public init() {}

    /// Arrivals from now on, for one consumer. One that is late sees one arrival for all that have passed.
    public func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return stream
    }

    /// Passes on arrivals until the task is cancelled.
    public func follow(_ arrivals: AsyncStream<Void>) async {
        for await _ in arrivals { announce() }
    }

    /// Arrivals of devices that the kernel and udev announce, until the task that waits is cancelled. Keeps a thread
    /// named `devices` while the stream is held.
    /// - Parameter subsystem: Which devices: `video4linux`.
    /// - Throws: ``PosixError`` where neither a socket nor a thread is to be had.
    public static func announced(bySubsystem subsystem: String) throws(PosixError) -> AsyncStream<Void> {
        let watch = try DeviceWatch(subsystems: [subsystem])
        return AsyncStream(unfolding: {
            for await event in watch.events where isArrival(event) { return () }
            return nil
        })
    }

    /// Tells everybody who listens.
    public func announce() {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield() }
    }

    /// `change` is what permissions that were granted look like.
    static func isArrival(_ event: DeviceEvent) -> Bool {
        event.name != nil && ["add", "change", "bind", "move", "online"].contains(event.action)
    }
}
