import CaptureModel
import TurboJPEG

/// The steps that make a picture smaller: the decoder scales that are applied one after the other, and the resulting
/// size.
///
/// The decoder supports full, half, quarter and eighth sides. The result is therefore the largest of these within a
/// limit, or the smallest that fills a box, not a picture of exactly that size, unless it is stretched afterwards.
struct ScalePlan: Hashable, Sendable {
    /// The scales; at least one.
    private(set) var scales: [DecodeScale] = []
    /// Pixels of the result. Excess pixels after scaling are cropped at both sides.
    private(set) var size: PixelSize
    /// Whether the picture is stretched to ``size`` after scaling.
    private(set) var isStretched = false

    /// - Parameter picture: Pixels, from 1 to 65 535 per side; also in the other initializers.
    init(of picture: PixelSize, by scale: DecodeScale) {
        size = picture
        reduce(by: scale)
    }

    /// Scales the picture for a box: all of it (`aspect`), the middle part that fills the box (`aspectFill`), or all of it
    /// stretched to the box (`resize`), of which no side is longer than ``VideoGravity/longestResizedSide``.
    /// - Parameter box: Pixels, at least 1 per side.
    init(of picture: PixelSize, into box: PixelSize, gravity: VideoGravity) {
        size = picture
        switch gravity {
        case .aspect:
            reduce { $0.width <= max(box.width, 1) && $0.height <= max(box.height, 1) }
        case .aspectFill:
            reduceWhile { $0.width >= box.width && $0.height >= box.height }
            size = size.middle(shapedAs: box)
        case .resize:
            let sides = 1...VideoGravity.longestResizedSide
            let target = PixelSize(width: box.width.clamped(to: sides), height: box.height.clamped(to: sides))
            reduce(by: smallerScale { $0.width >= target.width && $0.height >= target.height } ?? .full)
            (size, isStretched) = (target, size != target)
        }
    }

    /// Scales to a small picture of a photo.
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

    /// Applies the largest scale that fits.
    private mutating func reduce(until fits: (PixelSize) -> Bool) {
        repeat {
            reduce(by: DecodeScale.allCases.first { fits(size.reduced(by: $0)) } ?? .eighth)
        } while !fits(size)
    }

    /// Applies the smallest scale that still fills.
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

extension Int {
    fileprivate func clamped(to range: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension PixelSize {
    fileprivate func reduced(by scale: DecodeScale) -> PixelSize {
        PixelSize(width: scale.applied(to: width), height: scale.applied(to: height))
    }

    /// Returns the size of the largest part that has the shape of the box and is not larger than it.
    fileprivate func middle(shapedAs box: PixelSize) -> PixelSize {
        let (width, height) = (min(self.width, box.width), min(self.height, box.height))
        let (boxWidth, boxHeight) = (max(box.width, 1), max(box.height, 1))
        return PixelSize(
            width: max(1, min(width, height * boxWidth / boxHeight)),
            height: max(1, min(height, width * boxHeight / boxWidth)))
    }
}

extension JPEGScaler {
    /// Makes a picture as small as planned, unless it is to be stretched.
    /// - Parameters:
    ///   - jpeg: A complete JPEG of the size for which the plan was made.
    ///   - quality: 1 to 100.
    /// - Throws: ``TurboJPEGError`` if the picture cannot be decoded.
    func apply(_ plan: ScalePlan, to jpeg: [UInt8], quality: Int) throws(TurboJPEGError) -> [UInt8] {
        var picture = jpeg
        for (index, scale) in plan.scales.enumerated() {
            let cut = index == plan.scales.count - 1 ? plan.size : nil
            var result: [UInt8] = []
            _ = try self.scale(
                picture.span, by: scale, width: cut?.width, height: cut?.height, quality: quality, into: &result)
            picture = result
        }
        return picture
    }
}
