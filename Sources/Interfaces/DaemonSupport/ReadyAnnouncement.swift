import ServiceLifecycle

/// A service that waits until the daemon is ready, says so, and has nothing further to do.
struct ReadyAnnouncement: Service {
    let announce: @Sendable () async throws -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await announce() }
        } catch is CancellationError {
            // Asked to end before it was ready.
            return
        }
        // A service that ends would end the group; this one stays until asked to go.
        try? await gracefulShutdown()
    }
}
