import CaptureModel
import TurboJPEG

/// Makes the small pictures of a photo. It belongs to one capture and its thread.
struct PhotoReducer {
    private let scaler: JPEGScaler

    /// Encoder quality of small pictures: artefacts show less where nobody looks closely.
    private static let quality = 80

    init() throws(TurboJPEGError) {
        scaler = try JPEGScaler()
    }

    /// A small JPEG of a whole one, of the size that `reduced` says.
    /// - Throws: `TurboJPEGError` where the picture cannot be decoded.
    func reduce(_ jpeg: [UInt8], to reduced: ReducedSize) throws(TurboJPEGError) -> [UInt8] {
        var picture = jpeg
        for scale in reduced.scales.dropLast() { try apply(scale, to: &picture) }
        try apply(reduced.scales.last ?? .full, to: &picture, cut: reduced.size)
        return picture
    }

    private func apply(
        _ scale: DecodeScale, to picture: inout [UInt8], cut: PixelSize? = nil
    ) throws(TurboJPEGError) {
        var result: [UInt8] = []
        _ = try scaler.scale(
            picture.span, by: scale, width: cut?.width, height: cut?.height, quality: Self.quality, into: &result)
        picture = result
    }
}
