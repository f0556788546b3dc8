public import CameraKit
public import CaptureModel

/// Resolves a preset to a concrete format of a camera. It is chosen only from what the camera offers.
///
/// Of equally large pictures, the faster are preferred; of equally fast ones, those compressed by the camera, because
/// they save bus and processor time; then those without conversion on this machine; then by name. Made-to-order sizes
/// do not count: the largest of them may exceed any memory, and shows no more than the camera's own sizes.
/// A sensor's mosaic counts only if nothing else is offered or allowed, since nothing is shown of it.
public enum FormatResolution {
    /// The rate of `high`, `medium` and `low` if the input does not name one, frames per second.
    public static let defaultRate = 30.0

    private struct Choice {
        var offer: FormatOffer
        var width: Int
        var height: Int
        /// Highest rate; nil if the driver does not report it.
        var rate: Double?

        var pixels: Int { width.multipliedReportingOverflow(by: height).partialValue }
    }

    /// Returns the format to request.
    /// - Returns: nil if no offer fulfils the preset.
    public static func resolve(
        _ preset: SessionPreset, wish: FormatRequest, offers: [FormatOffer]
    ) -> FormatRequest? {
        if preset == .inputPriority { return wish }
        let allowed = offers.filter { wish.pixelFormat == nil || $0.pixelFormat == wish.pixelFormat }
        let pictures = allowed.filter { !$0.pixelFormat.family.isMosaic }
        let choices = (pictures.isEmpty ? allowed : pictures).flatMap(Self.choices)
        if preset == .photo { return best(of: choices).map { request($0, rate: $0.rate) } }
        let rate = wish.framesPerSecond ?? defaultRate
        // A rate as drivers write it, 29.97, counts as 30.
        let fast = choices.filter { $0.rate.map { $0 >= rate * 0.99 } ?? false }
        guard let largest = best(of: fast) else { return nil }
        switch preset {
        case .inputPriority, .photo, .high: return request(largest, rate: rate)
        case .medium: return request(best(of: fast, sharing: largest, among: 4), rate: rate)
        case .low: return request(best(of: fast, sharing: largest, among: 16), rate: rate)
        }
    }

    /// Returns the largest picture with at most one in `count` pixels of another, or the smallest of all.
    private static func best(of choices: [Choice], sharing largest: Choice, among count: Int) -> Choice {
        let small = choices.filter { $0.pixels <= largest.pixels / count }
        if let choice = best(of: small) { return choice }
        let fewest = choices.map(\.pixels).min()
        return best(of: choices.filter { $0.pixels == fewest }) ?? largest
    }

    private static func choices(of offer: FormatOffer) -> [Choice] {
        offer.sizes.filter { !$0.isMadeToOrder }.map { size in
            let shortest = size.intervals.map(\.shortestNanoseconds).filter { $0 > 0 }.min()
            return Choice(
                offer: offer, width: size.widths.largest, height: size.heights.largest,
                rate: shortest.map { 1e9 / Double($0) })
        }
    }

    private static func best(of choices: [Choice]) -> Choice? {
        choices.max { left, right in
            if left.pixels != right.pixels { return left.pixels < right.pixels }
            if (left.rate ?? 0) != (right.rate ?? 0) { return (left.rate ?? 0) < (right.rate ?? 0) }
            let ranks = (rank(left.offer), rank(right.offer))
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            return left.offer.pixelFormat.rawValue > right.offer.pixelFormat.rawValue
        }
    }

    private static func rank(_ offer: FormatOffer) -> Int {
        if offer.convertedFrom != nil { return 0 }
        return offer.pixelFormat == .mjpeg ? 2 : 1
    }

    private static func request(_ choice: Choice, rate: Double?) -> FormatRequest {
        FormatRequest(
            pixelFormat: choice.offer.pixelFormat, width: choice.width, height: choice.height,
            framesPerSecond: rate.map { min($0, choice.rate ?? $0) })
    }
}
