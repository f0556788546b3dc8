import CameraKit
import CaptureModel

extension CameraConformance {
    /// Every stream runs beside the main one, of each name once; a name that is not on offer is refused.
    func streams() async throws {
        let camera = try makeCamera()
        let offers = try await camera.streams()
        let names = offers.map(\.name)
        try require(names.first == .main, "the first of \(names) is not the main stream")
        try require(Set(names).count == names.count, "two streams have one name: \(names)")
        let formats = try await camera.capabilities().formats
        try require(offers.first?.formats == formats, "the main stream comes in other formats than the camera tells")
        try await requireUnknownRefused(by: camera, offering: names)
        let main = try await start(camera)
        for offer in offers.dropFirst() { try await runs(offer, of: camera, beside: main) }
        _ = try await take(2, of: main)
        await main.stop()
        try await requireFree(camera)
    }

    private func requireUnknownRefused(by camera: any Camera, offering names: [StreamName]) async throws {
        let unknown = StreamName(rawValue: "no such stream")
        let refusal = await self.refusal { try await camera.start(unknown, request, clock: clock) }
        guard let refusal else { throw Finding("a stream that is not on offer was started") }
        try require(refusal.code == .unsupportedFormat, "the refusal is \(refusal.code.rawValue): \(refusal)")
        let namesAll = names.allSatisfy { refusal.reason.contains("'\($0)'") }
        try require(namesAll, "the refusal does not name the streams on offer: \(refusal)")
    }

    private func runs(_ offer: StreamOffer, of camera: any Camera, beside main: any CameraStream) async throws {
        let stream = try await camera.start(offer.name, FormatRequest(), clock: clock)
        let isListed = offer.formats.contains { $0.includes(stream.format) }
        try require(isListed, "\(offer.name) agreed on \(stream.format), which is not among \(offer.formats)")
        let again = await refusal { try await camera.start(offer.name, FormatRequest(), clock: clock) }
        try require(again?.code == .busy, "a second \(offer.name) got \(again.map(\.description) ?? "a stream")")
        _ = try await take(3, of: stream)
        _ = try await take(2, of: main)
        await stream.stop()
        _ = try await take(2, of: main)
        let restarted = try await camera.start(offer.name, FormatRequest(), clock: clock)
        _ = try await take(1, of: restarted)
        await restarted.stop()
    }
}
