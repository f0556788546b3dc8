/// Concurrent blocking calls, for devices or kernel functions that combine several calls at less cost: disks combine many flushes into one.
public enum BlockingCalls {
    /// The maximum number of threads in addition to the caller's.
    public static let threadLimit = 7

    /// Calls `body` with each input, on the calling thread and on temporary threads. Blocks until all calls have returned.
    /// - Parameter name: The name of the threads.
    /// - Returns: The outputs in the order of the inputs.
    public static func map<Input: Sendable, Output: Sendable>(
        _ inputs: [Input], threads name: String, _ body: @escaping @Sendable (Input) -> Output
    ) -> [Output] {
        let next = Locked(inputs.startIndex)
        let outputs = Locked([Output?](repeating: nil, count: inputs.count))
        let work: @Sendable () -> Void = {
            while true {
                let index = next.withLock { index in
                    defer { index += 1 }
                    return index
                }
                guard index < inputs.count else { return }
                let output = body(inputs[index])
                outputs.withLock { $0[index] = output }
            }
        }
        // If no more threads can be created, the existing ones do all the work.
        let threads = (0..<min(max(inputs.count - 1, 0), threadLimit)).compactMap { _ in
            try? NamedThread(name: name, signals: .blocked, work)
        }
        work()
        for thread in threads { thread.join() }
        return outputs.withLock { $0.compactMap(\.self) }
    }
}
