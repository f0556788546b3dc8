import CameraKit

extension CameraConformance {
    func busyWhileStreaming() async throws {
        let camera = try makeCamera()
        let stream = try await start(camera)
        let refusal = await self.refusal { try await start(camera) }
        try require(refusal?.code == .busy, "the second start got \(refusal.map(\.description) ?? "a stream")")
        // The first stream must not notice.
        _ = try await take(3, of: stream)
        await stream.stop()
    }

    func stopEndsFrames() async throws {
        let stream = try await start()
        _ = try await take(2, of: stream)
        await stream.stop()
        var rest = 0
        for await _ in stream.frames { rest += 1 }
        try require(rest < 64, "\(rest) frames came after stop")
        try require(stream.failure == nil, "the failure is \(stream.failure.map(\.description) ?? "")")
        await stream.stop()
    }

    func stopTogether() async throws {
        let camera = try makeCamera()
        let stream = try await start(camera)
        _ = try await take(1, of: stream)
        await withTaskGroup { group in
            for _ in 0..<4 { group.addTask { await stream.stop() } }
        }
        try require(stream.failure == nil, "the failure is \(stream.failure.map(\.description) ?? "")")
        try await requireFree(camera)
    }

    func restart() async throws {
        let camera = try makeCamera()
        for _ in 0..<3 { try await requireFree(camera) }
    }

    func cancelledConsumer() async throws {
        let camera = try makeCamera()
        let stream = try await start(camera)
        _ = try await take(1, of: stream)
        let consumer = Task { for await _ in stream.frames {} }
        consumer.cancel()
        await consumer.value
        await stream.stop()
        try require(stream.failure == nil, "the failure is \(stream.failure.map(\.description) ?? "")")
        try await requireFree(camera)
    }

    func cancelledStart() async throws {
        let camera = try makeCamera()
        let starting = Task { try? await start(camera) }
        starting.cancel()
        if let stream = await starting.value { await stream.stop() }
        try await requireFree(camera)
    }

    func droppedStream() async throws {
        let camera = try makeCamera()
        // The end of the frames is the sign that the camera is free.
        for await _ in try await framesOfDroppedStream(camera) {}
        try await requireFree(camera)
    }

    private func framesOfDroppedStream(_ camera: any Camera) async throws -> AsyncStream<CameraFrame> {
        let stream = try await start(camera)
        _ = try await take(1, of: stream)
        return stream.frames
    }

    /// Two cameras stream; one stops, and the other goes on as if nothing had been.
    func pair() async throws {
        guard let makeOther else { throw Finding("there is no second camera") }
        let camera = try makeCamera()
        let first = try await start(camera)
        let second = try await start(try makeOther())
        async let ofFirst = take(4, of: first)
        async let ofSecond = take(4, of: second)
        _ = try await ofFirst
        var frames = try await ofSecond
        await first.stop()
        frames += try await take(4, of: second)
        try await requireFree(camera)
        frames += try await take(4, of: second)
        try require(second.failure == nil, "the other camera ended: \(second.failure.map(\.description) ?? "")")
        await second.stop()
        let isOrdered = zip(frames, frames.dropFirst()).allSatisfy { $0.sequence < $1.sequence }
        try require(isOrdered, "the other camera's frames: \(frames.map(\.sequence))")
    }

    /// Why a start was refused; nil where it was not, and the stream is stopped again.
    func refusal(of start: () async throws -> any CameraStream) async -> CameraError? {
        do {
            await (try await start()).stop()
            return nil
        } catch {
            return error as? CameraError
        }
    }
}
