import CameraKit
import CaptureModel
import ImageMetadata

extension CameraConformance {
    func agreedFormat() async throws {
        let stream = try await start()
        let format = stream.format
        let isAsAsked =
            request.pixelFormat ?? format.pixelFormat == format.pixelFormat
            && request.width ?? format.width == format.width && request.height ?? format.height == format.height
        try require(isAsAsked, "asked for \(request), agreed on \(format)")
        try require(format.frameIntervalNanoseconds > 0, "a frame interval of \(format.frameInterval)")
        let frame = try await capture(1, of: stream)[0]
        try require(frame.lease.byteCount > 0, "a frame without bytes")
        await stream.stop()
    }

    /// A sensor's first frame may be half a one; those after it may not.
    func wholeFrames() async throws {
        let stream = try await start()
        let frames = try await capture(6, of: stream).dropFirst().filter { !$0.isFlaggedErroneous }
        await stream.stop()
        for frame in frames {
            if let fault = fault(of: frame.lease, stream.format) {
                throw Finding("frame \(frame.sequence) of \(stream.format): \(fault)")
            }
        }
    }

    /// Extra bytes after a picture, a missing end marker and missing standard tables are normal. The picture can be completed.
    func completePictures() async throws {
        let stream = try await start()
        let frames = try await capture(6, of: stream).dropFirst().filter { !$0.isFlaggedErroneous }
        await stream.stop()
        guard stream.format.pixelFormat == .mjpeg else { return }
        for frame in frames {
            do {
                let bytes = frame.lease.bytes
                let structure = try JPEGStructure(parsing: bytes)
                if let damage = structure.damage { throw damage }
                let complete = try JPEGStructure(parsing: try structure.completed(bytes.span))
                try require(complete.isComplete, "frame \(frame.sequence) lacks tables or an end")
            } catch let problem as JPEGProblem {
                throw Finding("frame \(frame.sequence): \(problem)")
            }
        }
    }

    private func fault(of lease: FrameLease, _ format: VideoFormat) -> String? {
        guard format.pixelFormat == .mjpeg else {
            let expected = format.pixelFormat.byteCount(width: format.width, height: format.height)
            return expected == lease.byteCount ? nil : "\(lease.byteCount) bytes instead of \(expected ?? 0)"
        }
        do {
            let frame = try JPEGStructure(parsing: lease.bytes).frame
            let isOfSize = frame.width == format.width && frame.height == format.height
            return isOfSize ? nil : "the image is \(frame.width)x\(frame.height)"
        } catch {
            return "\(error)"
        }
    }

    func orderedFrames() async throws {
        let stream = try await start()
        let frames = try await capture(10, of: stream)
        await stream.stop()
        for (earlier, later) in zip(frames, frames.dropFirst()) {
            try require(earlier.sequence < later.sequence, "\(later.sequence) came after \(earlier.sequence)")
            try require(
                earlier.midExposure < later.midExposure,
                "frame \(later.sequence) is stamped \(earlier.midExposure - later.midExposure) before the one before it"
            )
            try require(
                earlier.dequeued <= later.dequeued, "frame \(later.sequence) was dequeued before an earlier one")
        }
        for frame in frames {
            try require(
                frame.midExposure <= frame.dequeued,
                "frame \(frame.sequence) is stamped \(frame.midExposure - frame.dequeued) after it was dequeued")
            try require(frame.stampBound >= .zero, "a bound of \(frame.stampBound)")
        }
    }

    /// Where the picture tells the truth, each instant is within its bound of it, at whatever rate the camera really
    /// exposes. Otherwise, a frame whose exposure time is not stated may have been exposed since the frame before, and the
    /// bound is not less than half of that time.
    func trueInstants() async throws {
        let stream = try await start()
        let frames = try await capture(12, of: stream)
        await stream.stop()
        for (earlier, frame) in zip(frames, frames.dropFirst()) {
            if let truth {
                let error = (try truth(frame) - frame.midExposure).magnitude
                try require(
                    error <= frame.stampBound,
                    "frame \(frame.sequence) was exposed \(error) from its instant, with a bound of \(frame.stampBound)"
                )
            } else if frame.exposure == nil, frame.sequence == earlier.sequence + 1 {
                // The two instants have errors too, of which the bound knows.
                let interval = frame.midExposure - earlier.midExposure
                try require(
                    frame.stampBound >= interval / 2 - .milliseconds(1),
                    "frame \(frame.sequence) came \(interval) after the one before, with a bound of \(frame.stampBound)"
                )
            }
        }
    }

    func countedLosses() async throws {
        let stream = try await start()
        var frames = try await capture(5, of: stream)
        try await clock.sleep(for: stream.format.frameInterval * 10)
        frames += try await capture(6, of: stream)
        await stream.stop()
        let missing = zip(frames, frames.dropFirst()).reduce(0) { $0 + ($1.1.sequence - $1.0.sequence - 1) }
        let losses = stream.losses
        let counted = losses.droppedByDevice + losses.droppedByNode + losses.flaggedErroneous
        try require(missing <= counted, "\(missing) sequence numbers are missing, \(counted) losses are counted")
    }

    func risingLosses() async throws {
        let stream = try await start()
        var samples = [stream.losses]
        for round in 0..<4 {
            if round == 2 { try await clock.sleep(for: stream.format.frameInterval * 10) }
            _ = try await capture(3, of: stream)
            samples.append(stream.losses)
        }
        await stream.stop()
        samples.append(stream.losses)
        for (earlier, later) in zip(samples, samples.dropFirst()) {
            let rises =
                earlier.droppedByDevice <= later.droppedByDevice && earlier.droppedByNode <= later.droppedByNode
                && earlier.flaggedErroneous <= later.flaggedErroneous
            try require(rises, "\(earlier) became \(later)")
        }
    }

    func slowConsumer() async throws {
        let stream = try await start()
        let first = try await capture(1, of: stream)[0]
        let before = stream.losses.droppedByNode
        // The consumer is busy with something else, frame after frame, until it has lost ten.
        var waited = 0
        while stream.losses.droppedByNode < before + 10, stream.failure == nil {
            try require(waited < 200, "200 frame intervals without reading lost \(stream.losses.droppedByNode) frames")
            waited += 1
            try await clock.sleep(for: stream.format.frameInterval)
        }
        let late = try await capture(1, of: stream)[0]
        await stream.stop()
        try require(
            late.sequence > first.sequence + 10,
            "frame \(late.sequence) waited, though ten after \(first.sequence) went")
    }

    func leaseOutlivesStream() async throws {
        let (lease, copy) = try await leaseOfStoppedStream()
        try require(!copy.isEmpty, "a frame without bytes")
        try require(lease.bytes == copy, "the bytes are others than before the stop")
    }

    /// The stream itself is gone when this returns.
    private func leaseOfStoppedStream() async throws -> (FrameLease, [UInt8]) {
        let stream = try await start()
        let lease = try await capture(1, of: stream)[0].lease
        let copy = lease.bytes
        await stream.stop()
        return (lease, copy)
    }
}

extension CameraConformance {
    func busyWhileStreaming() async throws {
        let camera = try makeCamera()
        let stream = try await start(camera)
        let refusal = await self.refusal { try await start(camera) }
        try require(refusal?.code == .busy, "the second start got \(refusal.map(\.description) ?? "a stream")")
        // The first stream must not notice.
        _ = try await capture(3, of: stream)
        await stream.stop()
    }

    func stopEndsFrames() async throws {
        let stream = try await start()
        _ = try await capture(2, of: stream)
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
        _ = try await capture(1, of: stream)
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
        _ = try await capture(1, of: stream)
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
        _ = try await capture(1, of: stream)
        return stream.frames
    }

    /// Two cameras stream; one stops, and the other goes on as if nothing had been.
    func pair() async throws {
        guard let makeOther else { throw Finding("there is no second camera") }
        let camera = try makeCamera()
        let first = try await start(camera)
        let second = try await start(try makeOther())
        async let ofFirst = capture(4, of: first)
        async let ofSecond = capture(4, of: second)
        _ = try await ofFirst
        var frames = try await ofSecond
        await first.stop()
        frames += try await capture(4, of: second)
        try await requireFree(camera)
        frames += try await capture(4, of: second)
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

extension CameraConformance {
    func unsupportedFormat() async throws {
        let camera = try makeCamera()
        let refusal = await self.refusal { try await camera.start(tiny, clock: clock) }
        guard let refusal else { throw Finding("one pixel by one was agreed to") }
        try require(refusal.code == .unsupportedFormat, "the refusal is \(refusal.code.rawValue): \(refusal)")
        let sizes = try await camera.capabilities().formats.flatMap(\.sizes)
        let numbers = Set(refusal.reason.split { !$0.isWholeNumber }.compactMap { Int($0) })
        let namesSize = sizes.contains { numbers.contains($0.widths.smallest) || numbers.contains($0.widths.largest) }
        try require(sizes.isEmpty || namesSize, "the refusal names no size on offer: \(refusal)")
    }

    func startAfterRefusal() async throws {
        let camera = try makeCamera()
        for _ in 0..<3 {
            let refusal = await self.refusal { try await camera.start(tiny, clock: clock) }
            try require(refusal != nil, "one pixel by one was agreed to")
        }
        try await requireFree(camera)
    }

    func capabilities() async throws {
        let camera = try makeCamera()
        let offers = try await camera.capabilities().formats
        try require(!offers.isEmpty, "no format is on offer")
        let stream = try await start(camera)
        await stream.stop()
        let isListed = offers.contains { $0.includes(stream.format) }
        try require(isListed, "it agreed on \(stream.format), which is not among \(offers)")
        // The smallest picture, so that it suits any bus.
        let offer = offers.first { $0.pixelFormat == request.pixelFormat } ?? offers[0]
        guard let size = offer.sizes.min(by: { $0.widths.smallest < $1.widths.smallest }) else { return }
        let smallest = FormatRequest(
            pixelFormat: offer.pixelFormat, width: size.widths.smallest, height: size.heights.smallest)
        let small = try await camera.start(smallest, clock: clock)
        _ = try await capture(1, of: small)
        await small.stop()
        let isAsAsked = small.format.width == smallest.width && small.format.height == smallest.height
        try require(isAsAsked, "asked for \(smallest), agreed on \(small.format)")
    }

    func capabilitiesWhileStreaming() async throws {
        let camera = try makeCamera()
        let before = try await camera.capabilities().formats
        let stream = try await start(camera)
        _ = try await capture(1, of: stream)
        let during = try await camera.capabilities().formats
        _ = try await capture(3, of: stream)
        await stream.stop()
        try require(before == during, "it offers \(before), and while it streams \(during)")
    }

    func authorization() async throws {
        let camera = try makeCamera()
        let closed = await camera.authorization()
        try require(closed == .authorized, "it is \(closed.rawValue)")
        let stream = try await start(camera)
        let open = await camera.authorization()
        await stream.stop()
        try require(open == .authorized, "it is \(open.rawValue) while it streams")
    }

    /// What no camera offers.
    private var tiny: FormatRequest {
        FormatRequest(pixelFormat: request.pixelFormat, width: 1, height: 1)
    }
}

extension FormatOffer {
    /// Whether a format is on offer, its rate aside; a device that tells no sizes may offer any.
    func includes(_ format: VideoFormat) -> Bool {
        pixelFormat == format.pixelFormat && (sizes.isEmpty || sizes.contains { $0.includes(format) })
    }
}

extension SizeOffer {
    fileprivate func includes(_ format: VideoFormat) -> Bool {
        widths.includes(format.width) && heights.includes(format.height)
    }
}

extension PixelRange {
    fileprivate func includes(_ pixels: Int) -> Bool {
        (smallest...max(smallest, largest)).contains(pixels) && (pixels - smallest) % max(step, 1) == 0
    }
}
