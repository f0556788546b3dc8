public import CaptureModel
public import Logging
public import RigAccess
public import ZeroMQ

/// A socket that listens, and can end its connections by listening anew.
public struct ListeningSocket: Sendable {
    public let domain: AccessDomain
    /// With the port that the system chose.
    public let endpoint: String
    let rebind: @Sendable (String) async throws(ZeroMQError) -> Void
    let bind: @Sendable (String) async throws(ZeroMQError) -> Void
}

extension ListeningSocket {
    public init(_ domain: AccessDomain, _ endpoint: String, _ socket: RouterSocket) {
        self.init(domain: domain, endpoint: endpoint) { endpoint throws(ZeroMQError) in
            try await socket.rebind(endpoint)
        } bind: { endpoint throws(ZeroMQError) in
            _ = try await socket.bind(to: endpoint)
        }
    }

    public init(_ domain: AccessDomain, _ endpoint: String, _ socket: PublisherSocket) {
        self.init(domain: domain, endpoint: endpoint) { endpoint throws(ZeroMQError) in
            try await socket.rebind(endpoint)
        } bind: { endpoint throws(ZeroMQError) in
            _ = try await socket.bind(to: endpoint)
        }
    }
}

/// Ends the connections of keys that have lost their rights. libzmq asks about a connection only once, when it begins; so
/// all connections of the channel end, and those that are still admitted come back by themselves.
public struct EndedConnections: Sendable {
    /// How long to wait before listening is tried again.
    static let retryInterval = Duration.seconds(1)

    private let changes: AsyncStream<AccessSnapshot>
    private let sockets: [ListeningSocket]
    private let clock: any TimeSource
    private let log: Logger
    private let enforced: @Sendable (AccessSnapshot) async -> Void

    /// - Parameters:
    ///   - changes: The decisions after each change. This is its only consumer.
    ///   - enforced: Called when no connection is left that a snapshot does not admit.
    public init(
        changes: AsyncStream<AccessSnapshot>, sockets: [ListeningSocket], clock: any TimeSource, log: Logger,
        enforced: @escaping @Sendable (AccessSnapshot) async -> Void
    ) {
        self.changes = changes
        self.sockets = sockets
        self.clock = clock
        self.log = log
        self.enforced = enforced
    }

    /// Follows the changes of the keys until the task is cancelled.
    /// - Parameter first: The decisions with which the sockets were bound.
    public func run(since first: AccessSnapshot) async {
        var last = first
        for await snapshot in changes {
            for socket in sockets where !snapshot.endedAdmissions(to: socket.domain, since: last).isEmpty {
                await end(socket)
            }
            last = snapshot
            await enforced(snapshot)
        }
    }

    private func end(_ socket: ListeningSocket) async {
        log.info("connections end, because keys have lost their rights", metadata: ["channel": "\(socket.domain)"])
        do {
            try await socket.rebind(socket.endpoint)
        } catch {
            log.error(
                "a channel does not listen; trying again",
                metadata: ["endpoint": "\(socket.endpoint)", "reason": "\(error)"])
            await listen(socket)
        }
    }

    private func listen(_ socket: ListeningSocket) async {
        while (try? await clock.sleep(for: Self.retryInterval)) != nil {
            if (try? await socket.bind(socket.endpoint)) != nil { return }
        }
    }
}
