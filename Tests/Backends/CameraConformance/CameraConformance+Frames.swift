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
        let frame = try await take(1, of: stream)[0]
        try require(frame.lease.byteCount > 0, "a frame without bytes")
        await stream.stop()
    }

    /// A sensor's first frame may be half a one; those after it may not.
    func wholeFrames() async throws {
        let stream = try await start()
        let frames = try await take(6, of: stream).dropFirst().filter { !$0.isFlaggedErroneous }
        await stream.stop()
        for frame in frames {
            if let fault = fault(of: frame.lease, stream.format) {
                throw Finding("frame \(frame.sequence) of \(stream.format): \(fault)")
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
        let frames = try await take(10, of: stream)
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

    func countedLosses() async throws {
        let stream = try await start()
        var frames = try await take(5, of: stream)
        try await clock.sleep(for: stream.format.frameInterval * 10)
        frames += try await take(6, of: stream)
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
            _ = try await take(3, of: stream)
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
        let first = try await take(1, of: stream)[0]
        let before = stream.losses.droppedByNode
        // The consumer is busy with something else, frame after frame, until it has lost ten.
        var waited = 0
        while stream.losses.droppedByNode < before + 10, stream.failure == nil {
            try require(waited < 200, "200 frame intervals without reading lost \(stream.losses.droppedByNode) frames")
            waited += 1
            try await clock.sleep(for: stream.format.frameInterval)
        }
        let late = try await take(1, of: stream)[0]
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
        let lease = try await take(1, of: stream)[0].lease
        let copy = lease.bytes
        await stream.stop()
        return (lease, copy)
    }
}
