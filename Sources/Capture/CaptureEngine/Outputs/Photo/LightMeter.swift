import CaptureModel
import TurboJPEG

/// Measures how bright a frame is, for flash `auto`.
enum LightMeter {
    /// A frame of less mean luma, of 0 to 255, is dark: about two stops below middle grey (118 in sRGB).
    static let darkness = 64

    /// The mean luma of a frame, 0 black to 255 white; nil where its image data cannot be decoded.
    static func meanLuma(of jpeg: [UInt8]) -> Int? {
        var image = LumaImage()
        do {
            try JPEGDecoder().decodeLuma(jpeg.span, scale: .eighth, into: &image)
        } catch {
            return nil
        }
        guard !image.bytes.isEmpty else { return nil }
        return image.bytes.reduce(0) { $0 + Int($1) } / image.bytes.count
    }
}
