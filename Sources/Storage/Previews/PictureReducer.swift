public import ImageMetadata
internal import LibAV
internal import TurboJPEG

/// Makes the small pictures of a JPEG: one scaled decode, planes brought to size, and an encoding of each.
///
/// Keeps its decoder, encoder and planes from picture to picture. Not `Sendable`: use one per thread or actor. A damaged
/// picture is taken as far as it can be decoded. Bytes are untrusted.
public final class PictureReducer {
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder
    private let scaler = PlaneScaler()
    private var image = PlanarImage()

    /// - Parameter maximumPixelCount: Larger pictures are refused before anything is decoded.
    /// - Throws: ``PictureProblem`` where there is no memory.
    public init(maximumPixelCount: Int = 100_000_000) throws(PictureProblem) {
        do {
            (decoder, encoder) = (try JPEGDecoder(maximumPixelCount: maximumPixelCount), try JPEGEncoder())
        } catch {
            throw PictureProblem(description: "\(error)")
        }
    }

    /// All small pictures of a JPEG, each a JPEG that says in its Exif block how it must be turned.
    /// - Parameter orientation: Of the pixels.
    /// - Throws: ``PictureProblem`` where it cannot be decoded.
    public func reduce(
        _ jpeg: [UInt8], orientation: EXIFOrientation
    ) throws(PictureProblem) -> [SmallPicture: [UInt8]] {
        do {
            let header = try decoder.header(of: jpeg.span)
            let plan = ReductionPlan(width: header.width, height: header.height)
            try decoder.decodePlanes(jpeg.span, scale: plan.scale, into: &image)
            var pictures: [SmallPicture: [UInt8]] = [:]
            for picture in SmallPicture.allCases {
                let pixels = try encoded(plan.part(of: picture, header.subsampling))
                pictures[picture] = try JPEGRewriter.stillBytes(
                    from: pixels.span, exif: EXIFDescription(orientation: orientation))
            }
            return pictures
        } catch {
            throw PictureProblem(description: "\(error)")
        }
    }

    private func encoded(_ part: ReductionPlan.Part) throws -> [UInt8] {
        let subsampling = image.geometry.subsampling
        let sources = PlaneGeometry(width: part.width, height: part.height, subsampling: subsampling).planeSizes
        let targets = PlaneGeometry(width: part.targetWidth, height: part.targetHeight, subsampling: subsampling)
            .planeSizes
        var planes: [(bytes: [UInt8], stride: Int)] = []
        for (index, source) in sources.enumerated() {
            planes.append(try scaled(index, source, from: part, to: targets[index]))
        }
        let geometry = PlaneGeometry(
            width: part.targetWidth, height: part.targetHeight, subsampling: subsampling, strides: planes.map(\.stride))
        let chroma = planes.dropFirst().map(\.bytes)
        let (luma, cb, cr) = (planes.first?.bytes ?? [], chroma.first ?? [], chroma.last ?? [])
        var output: [UInt8] = []
        try encoder.encode(
            geometry, y: luma.span, cb: cb.span, cr: cr.span, quality: SmallPicture.quality, into: &output)
        return output
    }

    private func scaled(
        _ index: Int, _ source: (width: Int, height: Int), from part: ReductionPlan.Part,
        to target: (width: Int, height: Int)
    ) throws -> (bytes: [UInt8], stride: Int) {
        let subsampling = image.geometry.subsampling
        let (across, down) = index == 0 ? (1, 1) : (subsampling.horizontalFactor, subsampling.verticalFactor)
        let stride = image.geometry.strides[index]
        let start = image.offsets[index] + part.top / down * stride + part.left / across
        let bytes = image.bytes
        return try scaler.scale(
            bytes.span.extracting(start..<image.offsets[index + 1]), width: source.width, height: source.height,
            stride: stride, to: target)
    }
}

/// Why no small picture can be made of a file, however often it is tried.
public struct PictureProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
}
