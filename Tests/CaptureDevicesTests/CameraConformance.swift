import CaptureDevices
import CaptureModel
import Testing

/// What every camera owes its users, whatever its make; run each check on a camera of its own.
struct CameraConformance {
    /// Makes a camera that is plugged in and free.
    let makeCamera: @Sendable () throws -> any Camera
    /// A format it supports, at no less than ten frames per second.
    let request: FormatRequest
    let clock: any TimeSource

    /// One promise of the protocol; its raw value says what would be wrong for a user.
    enum Check: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case agreedFormat = "the format agreed is not the one asked for, or no frame comes"
        case orderedFrames = "sequence numbers or stamps go backwards, or a stamp lies in the future"
        case busyWhileStreaming =
            "a second start takes the camera away from the first, or is refused for another reason"
        case stopEndsFrames = "a consumer waits for ever after stop, or stop looks like a failure"
        case restart = "a stopped camera cannot be started again"
        case leaseOutlivesStream = "a frame changes or vanishes when its camera stops"
        case slowConsumer = "a slow consumer gets old frames, or what it lost is not counted"

        var testDescription: String { rawValue }
    }

    func run(_ check: Check) async throws {
        switch check {
        case .agreedFormat: try await agreedFormat()
        case .orderedFrames: try await orderedFrames()
        case .busyWhileStreaming: try await busyWhileStreaming()
        case .stopEndsFrames: try await stopEndsFrames()
        case .restart: try await restart()
        case .leaseOutlivesStream: try await leaseOutlivesStream()
        case .slowConsumer: try await slowConsumer()
        }
    }

    private func start() async throws -> any CameraStream {
        try await makeCamera().start(request, clock: clock)
    }

    private func take(_ count: Int, of stream: any CameraStream) async -> [CameraFrame] {
        var taken: [CameraFrame] = []
        for await frame in stream.frames {
            taken.append(frame)
            if taken.count == count { break }
        }
        return taken
    }

    private func agreedFormat() async throws {
        let stream = try await start()
        #expect(request.pixelFormat.map { $0 == stream.format.pixelFormat } ?? true)
        #expect(request.width.map { $0 == stream.format.width } ?? true)
        #expect(request.height.map { $0 == stream.format.height } ?? true)
        #expect(stream.format.frameIntervalNanoseconds > 0)
        let frame = try #require(await take(1, of: stream).first)
        switch stream.format.pixelFormat {
        case .mjpeg: #expect(frame.lease.bytes.starts(with: [0xFF, 0xD8]))
        case .yuyv: #expect(frame.lease.byteCount == stream.format.width * stream.format.height * 2)
        }
        await stream.stop()
    }

    private func orderedFrames() async throws {
        let stream = try await start()
        let frames = await take(10, of: stream)
        await stream.stop()
        try #require(frames.count == 10)
        for (earlier, later) in zip(frames, frames.dropFirst()) {
            #expect(earlier.sequence < later.sequence)
            #expect(earlier.midExposure < later.midExposure)
            #expect(earlier.dequeued <= later.dequeued)
        }
        for frame in frames {
            #expect(frame.midExposure <= frame.dequeued)
            #expect(frame.stampBound >= .zero)
        }
    }

    private func busyWhileStreaming() async throws {
        let camera = try makeCamera()
        let stream = try await camera.start(request, clock: clock)
        let error = await #expect(throws: CameraError.self) { try await camera.start(request, clock: clock) }
        #expect(error?.code == .busy)
        #expect(await take(3, of: stream).count == 3, "the first stream must not notice")
        await stream.stop()
    }

    private func stopEndsFrames() async throws {
        let stream = try await start()
        _ = await take(2, of: stream)
        await stream.stop()
        var rest = 0
        for await _ in stream.frames { rest += 1 }
        #expect(rest < 64, "only what was waiting may still come")
        #expect(stream.failure == nil)
        await stream.stop()
    }

    private func restart() async throws {
        let camera = try makeCamera()
        for _ in 0..<3 {
            let stream = try await camera.start(request, clock: clock)
            #expect(await take(2, of: stream).count == 2)
            await stream.stop()
        }
    }

    private func leaseOutlivesStream() async throws {
        let (lease, copy) = try await leaseOfStoppedStream()
        #expect(!copy.isEmpty)
        #expect(lease.withBytes { $0.byteCount } == copy.count)
        #expect(lease.bytes == copy)
    }

    private func leaseOfStoppedStream() async throws -> (FrameLease, [UInt8]) {
        let stream = try await start()
        let lease = try #require(await take(1, of: stream).first).lease
        let copy = lease.bytes
        await stream.stop()
        return (lease, copy)
    }

    private func slowConsumer() async throws {
        let stream = try await start()
        let first = try #require(await take(1, of: stream).first)
        let before = stream.losses.droppedByNode
        // The consumer is busy with something else, frame after frame, until it has lost ten.
        while stream.losses.droppedByNode < before + 10, stream.failure == nil {
            try await clock.sleep(for: stream.format.frameInterval)
        }
        let late = try #require(await take(1, of: stream).first)
        #expect(late.sequence > first.sequence + 10, "the oldest frames must have gone")
        await stream.stop()
    }
}
