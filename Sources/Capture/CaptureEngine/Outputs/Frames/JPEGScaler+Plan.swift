import CaptureModel
import TurboJPEG

extension JPEGScaler {
    /// Makes a picture as small as planned.
    /// - Parameters:
    ///   - jpeg: A whole JPEG of the size that the plan was made for.
    ///   - quality: 1 to 100.
    /// - Throws: ``TurboJPEGError`` where the picture cannot be decoded.
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
