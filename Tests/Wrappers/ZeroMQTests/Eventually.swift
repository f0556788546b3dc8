/// Waits until a counter or state that another thread changes has the value a test expects. The suite's time limit ends a
/// wait that would never end.
func eventually(_ condition: () async -> Bool) async throws {
    while await !condition() {
        try Task.checkCancellation()
        await Task.yield()
    }
}
