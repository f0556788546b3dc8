import CaptureModel
import TurboJPEG

/// How a picture becomes a smaller one: the scales of the decoder that are applied one after the other, and the size that
/// comes of it.
///
/// The decoder has the whole, half, quarter and eighth of each side. So the result is the largest of these that keeps to a
/// limit, or the smallest that fills a box, not one of exactly its size.
struct ScalePlan: Hashable, Sendable {
    /// At least one.
    private(set) var scales: [DecodeScale] = []
    /// Pixels of the result. What the scales leave beyond it is cut off at both sides.
    private(set) var size: PixelSize

    /// - Parameter picture: Pixels, from 1 to 65 535 a side; so in the other initializers.
    init(of picture: PixelSize, by scale: DecodeScale) {
        size = picture
        reduce(by: scale)
    }

    /// The picture for a box: all of it (`aspect`), or the middle of it that fills the box (`aspectFill`).
    /// - Parameter box: Pixels, at least 1 a side.
    init(of picture: PixelSize, into box: PixelSize, gravity: VideoGravity) {
        size = picture
        switch gravity {
        case .aspect:
            reduce { $0.width <= max(box.width, 1) && $0.height <= max(box.height, 1) }
        case .aspectFill:
            reduceWhile { $0.width >= box.width && $0.height >= box.height }
            size = size.middle(shapedAs: box)
        }
    }

    /// A small picture of a photo.
    /// - Parameters:
    ///   - limit: Largest side of the result, pixels, at least 1.
    ///   - shape: With `square`, the middle square of the shorter side is kept.
    init(of picture: PixelSize, limit: Int, shape: ThumbnailShape) {
        size = picture
        switch shape {
        case .whole:
            reduce { max($0.width, $0.height) <= max(limit, 1) }
        case .square:
            reduce { min($0.width, $0.height) <= max(limit, 1) }
            size = PixelSize(width: min(size.width, size.height), height: min(size.width, size.height))
        }
    }

    /// Takes the largest that fits.
    private mutating func reduce(until fits: (PixelSize) -> Bool) {
        repeat {
            reduce(by: DecodeScale.allCases.first { fits(size.reduced(by: $0)) } ?? .eighth)
        } while !fits(size)
    }

    /// Takes the smallest that still fills.
    private mutating func reduceWhile(_ fills: (PixelSize) -> Bool) {
        repeat {
            reduce(by: smallerScale(fills) ?? .full)
        } while smallerScale(fills) != nil
    }

    private func smallerScale(_ fills: (PixelSize) -> Bool) -> DecodeScale? {
        DecodeScale.allCases.last { size.reduced(by: $0) != size && fills(size.reduced(by: $0)) }
    }

    private mutating func reduce(by scale: DecodeScale) {
        size = size.reduced(by: scale)
        scales.append(scale)
    }
}

extension PixelSize {
    fileprivate func reduced(by scale: DecodeScale) -> PixelSize {
        PixelSize(width: scale.applied(to: width), height: scale.applied(to: height))
    }

    /// The largest part that has the shape of the box and is not larger than it.
    fileprivate func middle(shapedAs box: PixelSize) -> PixelSize {
        let (width, height) = (min(self.width, box.width), min(self.height, box.height))
        let (boxWidth, boxHeight) = (max(box.width, 1), max(box.height, 1))
        return PixelSize(
            width: max(1, min(width, height * boxWidth / boxHeight)),
            height: max(1, min(height, width * boxHeight / boxWidth)))
    }
}
