internal import TurboJPEG

/// How one decode of a JPEG becomes small pictures: the scale at which it is decoded, as small as the results allow, and
/// which part of that becomes what size.
struct ReductionPlan: Hashable {
    /// Part of the decoded picture, and the size it is scaled to, pixels.
    struct Part: Hashable {
        var left = 0
        var top = 0
        var width: Int
        var height: Int
        var targetWidth: Int
        var targetHeight: Int
    }

    private(set) var scale = DecodeScale.full
    private let width: Int
    private let height: Int

    /// - Parameters: Of the JPEG, pixels, at least 1.
    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        let preview = Self.fitted(width, height, SmallPicture.preview.longerSide)
        let side = min(width, height, SmallPicture.thumbnail.longerSide)
        let fitting = DecodeScale.allCases.last { scale in
            let (width, height) = (scale.applied(to: width), scale.applied(to: height))
            return width >= preview.width && height >= preview.height && min(width, height) >= side
        }
        scale = fitting ?? .full
    }

    /// - Parameter subsampling: Of the JPEG; the part begins on whole samples of chroma.
    func part(of picture: SmallPicture, _ subsampling: ChromaSubsampling) -> Part {
        let (width, height) = (scale.applied(to: self.width), scale.applied(to: self.height))
        switch picture {
        case .preview:
            let target = Self.fitted(self.width, self.height, picture.longerSide)
            return Part(width: width, height: height, targetWidth: target.width, targetHeight: target.height)
        case .thumbnail:
            let square = min(width, height)
            let side = min(square, picture.longerSide)
            let (across, down) = (subsampling.horizontalFactor, subsampling.verticalFactor)
            return Part(
                left: (width - square) / 2 / across * across, top: (height - square) / 2 / down * down, width: square,
                height: square, targetWidth: side, targetHeight: side)
        }
    }

    /// The size with this longer side at most, in the same shape.
    private static func fitted(_ width: Int, _ height: Int, _ limit: Int) -> (width: Int, height: Int) {
        let longer = max(width, height)
        guard longer > limit else { return (width, height) }
        func scaled(_ side: Int) -> Int { max(1, (side * limit + longer / 2) / longer) }
        return (scaled(width), scaled(height))
    }
}
