import CaptureModel
import ImageMetadata
import Previews
import TimeCode
import TurboJPEG

/// Decoding and scaling of a JPEG of a camera or a library, up to the reading of its time code and its small pictures.
enum JPEGPixelsFuzz {
    private static let largestPixelCount = 1 << 16
    private static let largestScannedPixelCount = 1 << 14

    static func run(_ bytes: [UInt8]) throws {
        try reduce(bytes)
        let decoder = try JPEGDecoder(
            maximumPixelCount: largestPixelCount, maximumScannedPixelCount: largestScannedPixelCount)
        guard let header = try? decoder.header(of: bytes) else { return }
        try FuzzFinding.unless(header.pixelCount <= largestPixelCount, "an image beyond the limit is decoded")
        let isProgressive = (try? JPEGStructure(parsing: bytes))?.frame.isProgressive ?? false
        try FuzzFinding.unless(
            !isProgressive || header.pixelCount <= largestScannedPixelCount,
            "the coefficients of an image beyond the limit are kept")
        for scale in DecodeScale.allCases {
            try decode(bytes, decoder, header, scale)
        }
        _ = try? decoder.verify(bytes)
        var output: [UInt8] = []
        let scaler = try JPEGScaler(maximumPixelCount: largestPixelCount)
        guard
            let size = try? scaler.scale(
                bytes.span, by: .half, width: 16, height: 9, quality: 50, into: &output)
        else { return }
        let scaled = try decoder.header(of: output)
        try FuzzFinding.unless(
            scaled.width == size.width && scaled.height == size.height, "a preview has another size than is said")
    }

    private static func reduce(_ bytes: [UInt8]) throws {
        let reducer = try PictureScaler(maximumPixelCount: largestPixelCount)
        guard let pictures = try? reducer.reduce(bytes, orientation: .up) else { return }
        for picture in SmallPicture.allCases {
            let header = try JPEGDecoder().header(of: pictures[picture] ?? [])
            try FuzzFinding.unless(
                max(header.width, header.height) <= picture.longerSide, "a small picture is larger than it may be")
        }
    }

    private static func decode(
        _ bytes: [UInt8], _ decoder: JPEGDecoder, _ header: JPEGHeader, _ scale: DecodeScale
    ) throws {
        var image = LumaImage()
        guard (try? decoder.decodeLuma(bytes.span, scale: scale, into: &image)) != nil else { return }
        try FuzzFinding.unless(
            image.width == scale.applied(to: header.width) && image.bytes.count == image.width * image.height,
            "an image is decoded to another size")
        _ = try? TimeCode.decode(luma: image.bytes.span, width: image.width, height: image.height, stride: image.width)
    }
}
