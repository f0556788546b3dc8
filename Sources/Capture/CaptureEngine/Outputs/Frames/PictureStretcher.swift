import CaptureModel
import LibAV
import TurboJPEG

/// Makes pictures of exactly the planned size, whatever their shape: gravity `resize`.
///
/// Reuses decoder, encoder and planes. Not `Sendable`: use one per thread or actor. A damaged picture is used as far as it
/// can be decoded. Colors are not converted, and metadata is not copied.
final class PictureStretcher {
    private let decoder: JPEGDecoder
    private let encoder: JPEGEncoder
    private let planes = PlaneScaler()
    private var image = PlanarImage()

    /// - Throws: If there is not enough memory.
    init() throws(TurboJPEGError) {
        (decoder, encoder) = (try JPEGDecoder(maximumPixelCount: 100_000_000), try JPEGEncoder())
    }

    /// Decodes a picture at the plan's scale, and stretches each plane to the plan's size.
    /// - Parameters:
    ///   - jpeg: A complete JPEG of the size for which the plan was made.
    ///   - quality: 1 to 100.
    /// - Throws: If the picture cannot be decoded.
    func stretch(_ jpeg: [UInt8], as plan: ScalePlan, quality: Int) throws -> [UInt8] {
        try decoder.decodePlanes(jpeg.span, scale: plan.scales.first ?? .full, into: &image)
        let sources = image.geometry
        let targets = PlaneGeometry(
            width: plan.size.width, height: plan.size.height, subsampling: sources.subsampling
        ).planeSizes
        var stretched: [(bytes: [UInt8], stride: Int)] = []
        for (index, target) in targets.enumerated() { stretched.append(try plane(index, to: target)) }
        let chroma = stretched.dropFirst().map(\.bytes)
        let (luma, cb, cr) = (stretched.first?.bytes ?? [], chroma.first ?? [], chroma.last ?? [])
        var output: [UInt8] = []
        try encoder.encode(
            PlaneGeometry(
                width: plan.size.width, height: plan.size.height, subsampling: sources.subsampling,
                strides: stretched.map(\.stride)),
            y: luma.span, cb: cb.span, cr: cr.span, quality: quality, into: &output)
        return output
    }

    private func plane(_ index: Int, to target: (width: Int, height: Int)) throws -> (bytes: [UInt8], stride: Int) {
        let source = image.geometry.planeSizes[index]
        let bytes = image.bytes
        return try planes.scale(
            bytes.span.extracting(image.offsets[index]..<image.offsets[index + 1]), width: source.width,
            height: source.height, stride: image.geometry.strides[index], to: target)
    }
}
