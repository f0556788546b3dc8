public import ZeroMQ

extension RouterSocket {
    /// Binds to an endpoint that another socket has just been closed on: libzmq lets go of it some time after `close()`.
    /// The test's time limit ends a wait that would never end.
    /// - Returns: The endpoint with its port.
    public nonisolated func bindWhenFree(to endpoint: String) async throws -> String {
        while true {
            if let bound = try await bindIfFree(to: endpoint) { return bound }
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    private nonisolated func bindIfFree(to endpoint: String) async throws -> String? {
        do {
            return try await bind(to: endpoint)
        } catch {
            guard error.code == "EADDRINUSE" else { throw error }
            return nil
        }
    }
}
