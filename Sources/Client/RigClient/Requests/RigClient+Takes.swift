public import CaptureModel
internal import RigProtocol
internal import RigWire

extension RigClient {
    /// Ends a take's recordings at one instant, and tells how their movies come into the library; as ``trigger(_:)`` does.
    /// Ending the stream early ends only the telling.
    public nonisolated func stop(_ request: StopTakeRequest) -> AsyncThrowingStream<TriggerUpdate, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(64)) { continuation in
            // Unstructured, because a stream has no task of its own; it ends with the stream.
            let task = Task {
                do {
                    try await self.run(.stop(request)) { continuation.yield($0) }
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Sets a mark in a take that records; returns when it is durable.
    public func mark(_ request: MarkTakeRequest) async throws(RigClientError) -> SetMark {
        let answer = try await ask(.markTake(request.wire), operation: "record mark")
        return try reading(answer, operation: "record mark") { body throws(WireError) in
            guard case .takeMark(let mark) = body else { return nil }
            return try SetMark(wire: mark)
        }
    }
}
