import CameraKit
import CaptureModel

/// Whether a still can be larger than the stream's frames: supported, enabled, requested.
extension PendingCaptures {
    /// The format the camera leaves its stream for.
    /// - Returns: nil where the still is a frame of the stream.
    /// - Throws: `unsupportedSettings`, naming the level that is missing.
    func largerFormat(
        _ settings: PhotoSettings, beside stream: VideoFormat
    ) async throws(CaptureProblem) -> PhotoFormatChoice? {
        let present = PixelSize(width: stream.width, height: stream.height)
        guard let wish = settings.maxPhotoDimensions, wish != present else { return nil }
        guard present.width <= wish.width, present.height <= wish.height else {
            throw larger("the frames of its stream are \(present), beyond \(wish), and are not made smaller")
        }
        let offers = try await session.offers()
        guard let largest = choice(of: offers, stream, within: nil) else {
            throw larger("not supported: the device offers nothing larger than its stream's \(present)")
        }
        guard let enabled = enabledDimensions else {
            throw larger(
                "supported up to \(largest.size) and not enabled: set `maxPhotoDimensions` in the device's configuration"
            )
        }
        guard enabled.allows(wish) else {
            throw larger("\(wish) is not enabled: `maxPhotoDimensions` in the device's configuration is \(enabled)")
        }
        guard let choice = choice(of: offers, stream, within: wish) else {
            throw larger(
                "not supported: the device offers nothing larger than its stream's \(present) within \(wish); the largest it offers is \(largest.size)"
            )
        }
        return choice
    }

    /// What can be had as things are; nil where nothing, or where nothing is known of the device yet.
    var largerPhoto: LargerPhoto? {
        guard let enabled = enabledDimensions, let stream = session.stream?.format,
            let offers = session.knowledge.offers,
            let choice = choice(of: offers, stream, within: enabled.limit)
        else { return nil }
        let lead = PhotoFormatSwitch(choice, reopening: session.knowledge.reopening, clock: session.clock).lead
        return LargerPhoto(dimensions: choice.size, leadNanoseconds: lead.nanoseconds)
    }

    private func choice(of offers: [FormatOffer], _ stream: VideoFormat, within limit: PixelSize?) -> PhotoFormatChoice?
    {
        .largest(of: offers, beside: stream, pixelFormat: session.setup.input.format.pixelFormat, within: limit)
    }

    private var enabledDimensions: MaxPhotoDimensions? { session.setup.input.maxPhotoDimensions }

    private func larger(_ reason: String) -> CaptureProblem {
        CaptureProblem(
            .unsupportedSettings, "\(device.id): a still larger than the stream's frames cannot be had: \(reason)")
    }
}
