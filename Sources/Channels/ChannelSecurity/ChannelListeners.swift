public import CaptureModel
public import Logging
public import RigAccess
internal import RigSecurity
public import ZeroMQ

/// The owner of the endpoints of a server's channels. It makes them listen again when connections have to end, or with another key.
///
/// libzmq asks about a connection only once, when it begins; so to end the connections of one key, all connections of the channel end, and those
/// that are still admitted come back by themselves.
///
/// | | usual ports | second ports (``SecondPort``) |
/// |---|---|---|
/// | one key | the key | – |
/// | a key is being replaced | the new key | the old key, for control, client and join |
///
/// One change happens after the other.
public actor ChannelListeners {
    /// How long to wait before listening is tried again.
    static let retryInterval = Duration.seconds(1)
    /// The channels by which peers learn of a new key.
    private static let retiredDomains: Set<AccessDomain> = [.control, .client, .join]

    private let sockets: [ListeningSocket]
    private let clock: any TimeSource
    private let log: Logger
    private var pair: CurveKeyPair
    /// The key that is being replaced.
    private var retired: CurveKeyPair?
    private var isChanging = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - sockets: Bound with `pair`.
    public init(_ sockets: [ListeningSocket], pair: CurveKeyPair, clock: any TimeSource, log: Logger) {
        self.sockets = sockets
        self.pair = pair
        self.clock = clock
        self.log = log
    }

    /// Ends the connections of keys that have lost their rights, until the task is cancelled.
    /// - Parameters:
    ///   - changes: The decisions after each change. This is their only consumer.
    ///   - first: The decisions with which the sockets were bound.
    ///   - enforced: Called when no connection is left that a snapshot does not admit.
    public func follow(
        _ changes: AsyncStream<AccessSnapshot>, since first: AccessSnapshot,
        enforced: @Sendable (AccessSnapshot) async -> Void
    ) async {
        var last = first
        for await snapshot in changes {
            for socket in sockets where !snapshot.endedAdmissions(to: socket.domain, since: last).isEmpty {
                log.info(
                    "connections end, because keys have lost their rights", metadata: ["channel": "\(socket.domain)"])
                await change {
                    await self.listenAnew(socket)
                    if let retired = self.retired { await self.listen(socket, with: retired, isAnew: true) }
                }
            }
            last = snapshot
            await enforced(snapshot)
        }
    }

    /// Listens with another key on the usual ports. All connections end.
    /// - Parameter old: The key to listen with on the second ports; nil for none.
    public func replaceKey(with new: CurveKeyPair, serving old: CurveKeyPair?) async {
        await change {
            await self.closeRetired()
            self.pair = new
            for socket in self.sockets { await self.listenAnew(socket) }
            await self.serve(retired: old)
        }
    }

    /// Listens with a further key on the second ports.
    public func serve(_ old: CurveKeyPair) async {
        await change { await self.serve(retired: old) }
    }

    /// Ends listening on the second ports, and the connections there.
    public func endRetired() async {
        await change { await self.closeRetired() }
    }

    private func serve(retired old: CurveKeyPair?) async {
        guard let old else { return }
        retired = old
        for socket in sockets { await listen(socket, with: old, isAnew: false) }
    }

    private func closeRetired() async {
        guard retired != nil else { return }
        retired = nil
        for socket in sockets where Self.retiredDomains.contains(socket.domain) {
            guard let endpoint = SecondPort.endpoint(of: socket.endpoint) else { continue }
            // Fails only where it does not listen.
            try? await socket.socket.unbind(from: endpoint)
        }
    }

    private func listenAnew(_ socket: ListeningSocket) async {
        do {
            try await socket.socket.secure(with: .channel(socket.domain, pair))
            try await socket.socket.rebind(socket.endpoint)
        } catch {
            log.error(
                "a channel does not listen; trying again",
                metadata: ["endpoint": "\(socket.endpoint)", "reason": "\(error)"])
            while (try? await clock.sleep(for: Self.retryInterval)) != nil {
                if (try? await socket.socket.bind(to: socket.endpoint)) != nil { return }
            }
        }
    }

    /// Listens on a channel's second port. Where another program has it, only the peers that know the new key connect.
    private func listen(_ socket: ListeningSocket, with old: CurveKeyPair, isAnew: Bool) async {
        guard Self.retiredDomains.contains(socket.domain), let endpoint = SecondPort.endpoint(of: socket.endpoint)
        else {
            return
        }
        do {
            try await socket.socket.secure(with: .channel(socket.domain, old))
            if isAnew { try await socket.socket.rebind(endpoint) } else { try await socket.socket.bind(to: endpoint) }
        } catch {
            log.error(
                "programs that know only the coordinator's old key cannot connect; free the port, and restart the coordinator",
                metadata: ["endpoint": "\(endpoint)", "reason": "\(error)"])
        }
    }

    private func change(_ body: () async -> Void) async {
        if isChanging { await withCheckedContinuation { waiting.append($0) } }
        isChanging = true
        await body()
        // `isChanging` stays true for the next one, so that no other gets in between.
        if waiting.isEmpty { isChanging = false } else { waiting.removeFirst().resume() }
    }
}
