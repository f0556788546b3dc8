import CaptureModel
import TurboJPEG

/// How a picture becomes a small one: the scales of the decoder that are applied one after the other, and the size that
/// comes of it.
///
/// The decoder has the whole, half, quarter and eighth of each side. So the result is the largest of these that keeps to
/// the limit, not one of exactly its size.
struct ReducedSize: Hashable, Sendable {
    let scales: [DecodeScale]
    let size: PixelSize

    /// - Parameters:
    ///   - picture: Pixels, from 1 to 65 535 a side.
    ///   - limit: Largest side of the result, pixels, at least 1.
    ///   - shape: With `square`, the middle square of the shorter side is kept.
    init(of picture: PixelSize, limit: Int, shape: ThumbnailShape) {
        var (size, scales) = (picture, [DecodeScale]())
        while Self.side(of: size, shape) > max(limit, 1) {
            let scale = DecodeScale.allCases.first { Self.side(of: size.reduced(by: $0), shape) <= limit } ?? .eighth
            size = size.reduced(by: scale)
            scales.append(scale)
        }
        if shape == .square {
            let side = min(size.width, size.height)
            size = PixelSize(width: side, height: side)
        }
        self.size = size
        self.scales = scales.isEmpty ? [.full] : scales
    }

    /// The side that the limit is for.
    private static func side(of size: PixelSize, _ shape: ThumbnailShape) -> Int {
        switch shape {
        case .whole: max(size.width, size.height)
        case .square: min(size.width, size.height)
        }
    }
}

extension PixelSize {
    fileprivate func reduced(by scale: DecodeScale) -> PixelSize {
        PixelSize(width: scale.applied(to: width), height: scale.applied(to: height))
    }
}
