import CaptureModel
import Video4Linux

extension FormatOffer {
    /// What a device offers of what can be captured, in the driver's order; may wait for the hardware. Of several formats
    /// of the driver that are the same once they are packed, the first stands.
    /// - Parameter driverFormat: The only format of the driver to tell of; nil for all.
    static func all(of device: VideoDevice, only driverFormat: FourCC? = nil) throws(VideoError) -> [FormatOffer] {
        var offers: [FormatOffer] = []
        for offer in try V4L2Setup.offers(device, only: driverFormat) {
            guard let source = offer.source, !offers.contains(where: { $0.isSame(as: source) }) else { continue }
            var sizes: [SizeOffer] = []
            for size in offer.sizes where SizeOffer.isTaken(size, of: source) {
                // A range of sizes is asked for its largest, the slowest of them.
                let intervals = try device.frameIntervals(
                    of: offer.format, width: size.widths.maximum, height: size.heights.maximum)
                sizes.append(SizeOffer(size, intervals))
            }
            guard !sizes.isEmpty || offer.sizes.isEmpty else { continue }
            offers.append(FormatOffer(source, sizes))
        }
        return offers
    }

    private func isSame(as source: DriverFormat) -> Bool {
        source.convertedFrom == nil && convertedFrom == nil && pixelFormat == source.pixelFormat
    }

    private init(_ source: DriverFormat, _ sizes: [SizeOffer]) {
        self.init(
            pixelFormat: source.pixelFormat,
            convertedFrom: source.convertedFrom == nil ? nil : source.fourcc.description, sizes: sizes)
    }
}

extension SizeOffer {
    /// Whether anything of a size or range can be captured: of a single size it is asked, of a range it is taken for
    /// granted.
    static func isTaken(_ size: FrameSizes, of source: DriverFormat) -> Bool {
        let isSingle = size.widths.minimum == size.widths.maximum && size.heights.minimum == size.heights.maximum
        return !isSingle || source.takes(width: size.widths.minimum, height: size.heights.minimum)
    }

    init(_ size: FrameSizes, _ intervals: [FrameIntervals]) {
        self.init(
            widths: PixelRange(size.widths), heights: PixelRange(size.heights),
            intervals: intervals.compactMap(IntervalOffer.init))
    }
}

extension PixelRange {
    init(_ range: SteppedRange) {
        self.init(Int(range.minimum), Int(range.maximum), step: Int(range.step))
    }
}

extension IntervalOffer {
    /// Nil for fractions that are no times.
    init?(_ intervals: FrameIntervals) {
        guard let shortest = intervals.shortest.nanoseconds, let longest = intervals.longest.nanoseconds else {
            return nil
        }
        self.init(shortestNanoseconds: min(shortest, longest), longestNanoseconds: max(shortest, longest))
    }
}
