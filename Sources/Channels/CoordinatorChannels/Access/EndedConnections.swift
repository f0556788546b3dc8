import CaptureModel
import Logging
import RigAccess
import ZeroMQ

/// A socket that listens, and can end its connections by listening anew.
struct ListeningSocket: Sendable {
    let domain: AccessDomain
    /// With the port that the system chose.
    let endpoint: String
    let rebind: @Sendable (String) async throws(ZeroMQError) -> Void
    let bind: @Sendable (String) async throws(ZeroMQError) -> Void
}

extension ListeningSocket {
    init(_ domain: AccessDomain, _ endpoint: String, _ socket: RouterSocket) {
        self.init(domain: domain, endpoint: endpoint) { endpoint throws(ZeroMQError) in
            try await socket.rebind(endpoint)
        } bind: { endpoint throws(ZeroMQError) in
            _ = try await socket.bind(to: endpoint)
        }
    }

    init(_ domain: AccessDomain, _ endpoint: String, _ socket: PublisherSocket) {
        self.init(domain: domain, endpoint: endpoint) { endpoint throws(ZeroMQError) in
            try await socket.rebind(endpoint)
        } bind: { endpoint throws(ZeroMQError) in
            _ = try await socket.bind(to: endpoint)
        }
    }
}

/// Ends the connections of keys that have lost their rights. libzmq asks about a connection only once, when it begins; so
/// all connections of the channel end, and those that are still admitted come back by themselves.
struct EndedConnections: Sendable {
    /// How long to wait before listening is tried again.
    static let retryInterval = Duration.seconds(1)

    let access: AccessControl
    let sockets: [ListeningSocket]
    let clock: any TimeSource
    let log: Logger

    /// Follows the changes of the keys until the task is cancelled.
    /// - Parameter first: The decisions with which the sockets were bound.
    func run(since first: AccessSnapshot) async {
        var last = first
        for await snapshot in access.changes {
            for socket in sockets where !snapshot.endedAdmissions(to: socket.domain, since: last).isEmpty {
                await end(socket)
            }
            last = snapshot
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
