import CameraKit
import CaptureModel

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
        _ = try await take(1, of: small)
        await small.stop()
        let isAsAsked = small.format.width == smallest.width && small.format.height == smallest.height
        try require(isAsAsked, "asked for \(smallest), agreed on \(small.format)")
    }

    func capabilitiesWhileStreaming() async throws {
        let camera = try makeCamera()
        let before = try await camera.capabilities().formats
        let stream = try await start(camera)
        _ = try await take(1, of: stream)
        let during = try await camera.capabilities().formats
        _ = try await take(3, of: stream)
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
