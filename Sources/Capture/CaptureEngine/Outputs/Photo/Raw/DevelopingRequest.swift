import CaptureModel
import ImageMetadata

/// What is to be made of a sensor's samples.
struct DevelopingRequest: Sendable {
    var frame: RawFrame
    /// What the samples mean, and how a raw file keeps them.
    var settings: RawSettings
    /// Whether the picture is wanted, of every pixel; else only what the raw file has for programs that do not develop it.
    var needsPhoto: Bool
    /// Encoder quality of the picture, 1 to 100.
    var quality: Int
    /// What a raw file says about itself; nil where none is wanted.
    var rawDescription: EXIFDescription?

    /// The samples of the frame.
    var size: PixelSize { PixelSize(width: frame.format.width, height: frame.format.height) }
    /// The picture that is developed: of every sample, or of each two by two.
    var pictureSize: PixelSize {
        needsEverySample ? size : PixelSize(width: size.width / 2, height: size.height / 2)
    }
    /// At half scale, LibRaw leaves an odd last row or column out.
    var needsEverySample: Bool {
        needsPhoto || !size.width.isMultiple(of: 2) || !size.height.isMultiple(of: 2)
    }
}

/// What came of it.
struct DevelopedFrame: Sendable {
    /// The picture; of half the width and height where no photo was wanted.
    var jpeg: [UInt8]
    /// The raw file, as the pieces it comes in; nil where none was wanted.
    var rawFile: [[UInt8]]?
}

/// The JPEG in a raw file.
enum RawThumbnail {
    /// Its longer side at most, pixels: enough to judge a picture by.
    static let longestSide = 1024
    static let quality = 80

    /// How it is made of a picture of the samples. It has at most half their sides: dcraw takes the first of images with as
    /// many bits for the samples. So a picture of half the sides becomes the same size as one of all.
    static func plan(for samples: PixelSize, of picture: PixelSize) -> ScalePlan {
        let half = (max(samples.width, samples.height) + 1) / 2
        return ScalePlan(of: picture, limit: min(longestSide, half), shape: .whole)
    }
}
