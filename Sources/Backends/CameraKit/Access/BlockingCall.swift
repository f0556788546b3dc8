package import PosixSupport

/// Calls that may wait for hardware or a database, kept off Swift's cooperative pool.
package enum BlockingCall {
    /// Calls `body` on a thread of its own and returns when it has.
    /// - Throws: ``PosixError`` where there is no thread to be had.
    package static func run<Result: Sendable>(
        thread name: String, _ body: @escaping @Sendable () -> Result
    ) async throws(PosixError) -> Result {
        let outcome = await withCheckedContinuation { answer in
            do throws(PosixError) {
                try NamedThread(name: name) {
                    answer.resume(returning: Swift.Result<Result, PosixError>.success(body()))
                }
                .detach()
            } catch {
                answer.resume(returning: .failure(error))
            }
        }
        return try outcome.get()
    }
}
