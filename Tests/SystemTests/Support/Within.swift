/// Runs `body`; when it has not ended after `limit` it is cancelled, and that is a failure.
/// - Parameter what: What was waited for.
func within(
    _ limit: Duration, _ what: String, _ body: @Sendable @escaping () async throws -> Void
) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw SystemTestError("waited in vain for \(what) for \(limit)")
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}
