import CaptureModel
import TurboJPEG

/// How a picture becomes one that fits a box: the scale of its decode, and what of the result is kept.
///
/// Pictures are scaled by the decoder, which has the whole, half, quarter and eighth of each side; so the result is
/// the largest of these that keeps to the box, not one of exactly its size.
struct ScalePlan: Hashable, Sendable {
    var scale: DecodeScale
    /// Largest sides of the result, pixels; the middle is kept. nil keeps all.
    var width: Int?
    var height: Int?

    init(scale: DecodeScale) {
        self.scale = scale
    }

    /// - Parameters:
    ///   - size: Of the picture, pixels.
    ///   - box: Pixels. A picture larger than eight times the box is made as small as can be, and is still larger.
    init(fitting size: (width: Int, height: Int), into box: (width: Int, height: Int), gravity: VideoGravity) {
        func fits(_ scale: DecodeScale) -> Bool {
            scale.applied(to: size.width) <= box.width && scale.applied(to: size.height) <= box.height
        }
        func fills(_ scale: DecodeScale) -> Bool {
            scale.applied(to: size.width) >= box.width && scale.applied(to: size.height) >= box.height
        }
        switch gravity {
        case .aspect:
            scale = DecodeScale.allCases.first(where: fits) ?? .eighth
        case .aspectFill:
            scale = DecodeScale.allCases.last(where: fills) ?? .full
            (width, height) = Self.middle(of: size, scale, shapedAs: box)
        }
    }

    /// Whether a picture of this size stays as it is.
    func keeps(_ size: (width: Int, height: Int)) -> Bool {
        scale == .full && size.width <= width ?? .max && size.height <= height ?? .max
    }

    /// The largest part of the scaled picture that has the shape of the box and is not larger than it.
    private static func middle(
        of size: (width: Int, height: Int), _ scale: DecodeScale, shapedAs box: (width: Int, height: Int)
    ) -> (Int, Int) {
        let width = min(scale.applied(to: size.width), box.width)
        let height = min(scale.applied(to: size.height), box.height)
        let (boxWidth, boxHeight) = (max(box.width, 1), max(box.height, 1))
        return (
            max(1, min(width, height * boxWidth / boxHeight)), max(1, min(height, width * boxHeight / boxWidth))
        )
    }
}
