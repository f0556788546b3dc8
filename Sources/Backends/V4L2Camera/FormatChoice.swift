import CameraKit
import CaptureModel
import Video4Linux

/// A choice from a camera's offers that suits a request. Pure: the device was asked before.
struct FormatChoice: Hashable, Sendable {
    /// The format for the driver, and the processing of its frames.
    var source: DriverFormat
    var width: UInt32
    var height: UInt32

    /// One offered pixel format with its sizes; no sizes if the driver does not report them.
    struct Offer: Hashable, Sendable {
        var format: FourCC
        var sizes: [FrameSizes]
        /// The processing of its frames; nil for a format that cannot be captured.
        var source: DriverFormat? { DriverFormat(format) }
    }

    /// If the request leaves the size open: the largest offered size within these bounds.
    private static let openWidth: UInt32 = 1920
    private static let openHeight: UInt32 = 1080

    /// Chooses by ``DriverFormat/rank`` if the request leaves the format open, unconverted before converted, and the
    /// exact size if the request names one.
    /// - Throws: A sentence that lists the offers.
    static func choose(_ request: FormatRequest, from offers: [Offer]) throws(Unsupported) -> FormatChoice {
        let usable = offers.enumerated().compactMap { place, offer in
            offer.source.map { (place: place, offer: offer, source: $0) }
        }
        let suitable = usable.filter { request.pixelFormat ?? $0.source.pixelFormat == $0.source.pixelFormat }
        for (_, offer, source) in suitable.sorted(by: { ($0.source.rank, $0.place) < ($1.source.rank, $1.place) }) {
            if let (width, height) = size(request, in: offer, of: source) {
                return FormatChoice(source: source, width: width, height: height)
            }
        }
        throw Unsupported(request, offers)
    }

    private static func size(
        _ request: FormatRequest, in offer: Offer, of source: DriverFormat
    ) -> (UInt32, UInt32)? {
        let width = request.width.map { UInt32(clamping: $0) }
        let height = request.height.map { UInt32(clamping: $0) }
        let candidates =
            offer.sizes.isEmpty
            ? [(width ?? 640, height ?? 480)]
            : offer.sizes.compactMap { sizes -> (UInt32, UInt32)? in
                guard let candidateWidth = fit(width, sizes.widths, within: openWidth),
                    let candidateHeight = fit(height, sizes.heights, within: openHeight)
                else { return nil }
                return (candidateWidth, candidateHeight)
            }
        return candidates.filter { source.accepts(width: $0.0, height: $0.1) }
            .max { UInt64($0.0) * UInt64($0.1) < UInt64($1.0) * UInt64($1.1) }
    }

    private static func fit(_ wish: UInt32?, _ range: SteppedRange, within limit: UInt32) -> UInt32? {
        guard let wish else { return range.largest(notAbove: limit) }
        return range.contains(wish) ? wish : nil
    }
}

extension FormatChoice {
    /// Why no offer suits a request.
    struct Unsupported: Error, Hashable, CustomStringConvertible {
        var description: String

        init(_ request: FormatRequest, _ offers: [Offer]) {
            let usable = offers.filter { $0.source != nil }
            guard !usable.isEmpty else {
                let names = offers.map(\.format.description).joined(separator: ", ")
                description = "the camera offers \(names.isEmpty ? "nothing" : names), none of which can be captured"
                return
            }
            let list = usable.map { "\(Self.name($0)) \(Self.sizes($0.sizes))" }.joined(separator: "; ")
            description = "the camera does not offer \(Self.wish(request)); it offers \(list)"
        }

        private static func wish(_ request: FormatRequest) -> String {
            let format = request.pixelFormat.map(\.rawValue) ?? "any format"
            return "\(format) in \(request.width.map(String.init) ?? "any")x\(request.height.map(String.init) ?? "any")"
        }

        private static func name(_ offer: Offer) -> String {
            guard let source = offer.source, source.convertedFrom != nil else { return offer.format.description }
            return "\(source.pixelFormat.rawValue) (converted from \(offer.format))"
        }

        private static func sizes(_ sizes: [FrameSizes]) -> String {
            let texts = sizes.prefix(24).map { sizes in
                sizes.widths.minimum == sizes.widths.maximum && sizes.heights.minimum == sizes.heights.maximum
                    ? "\(sizes.widths.minimum)x\(sizes.heights.minimum)"
                    : "\(sizes.widths.minimum)x\(sizes.heights.minimum) to \(sizes.widths.maximum)x\(sizes.heights.maximum)"
            }
            return texts.joined(separator: " ")
        }
    }
}

/// The choice of a camera's frame interval for a requested rate. Pure.
enum FrameIntervalChoice {
    /// Returns the interval to request from the driver; nil leaves it to the driver.
    ///
    /// Without a requested rate it is the shortest offered. A requested rate gets the nearest discrete interval, or
    /// exactly the requested one if the driver reports a range or nothing.
    static func interval(framesPerSecond: Double?, from offers: [FrameIntervals]) -> Fraction? {
        guard let rate = framesPerSecond, rate.isFinite, rate > 0 else {
            return offers.map(\.shortest).filter { $0.nanoseconds != nil }
                .min { ($0.nanoseconds ?? 0) < ($1.nanoseconds ?? 0) }
        }
        let isDiscrete = !offers.isEmpty && offers.allSatisfy(\.isDiscrete)
        guard isDiscrete else { return fraction(rate) }
        return offers.map(\.shortest).min { distance($0, rate) < distance($1, rate) }
    }

    /// Returns whether an interval matches the requested rate within two percent: 29.97 counts as 30, 25 does not.
    static func meets(_ nanoseconds: Int64, framesPerSecond rate: Double) -> Bool {
        (Double(nanoseconds) * rate / 1_000_000_000 - 1).magnitude <= 0.02
    }

    private static func distance(_ interval: Fraction, _ rate: Double) -> Double {
        interval.nanoseconds.map { (Double($0) * rate / 1_000_000_000 - 1).magnitude } ?? .infinity
    }

    private static func fraction(_ rate: Double) -> Fraction? {
        let thousandths = (rate * 1000).rounded()
        return (1...4_000_000).contains(thousandths) ? Fraction(1000, UInt32(thousandths)) : nil
    }
}

extension FrameIntervalChoice {
    /// Returns a rate as text for a sentence: `12.5`.
    static func rateText(_ nanoseconds: Int64) -> String {
        let hundredths = (100_000_000_000 / Double(max(nanoseconds, 1))).rounded() / 100
        return "\(hundredths)"
    }
}
