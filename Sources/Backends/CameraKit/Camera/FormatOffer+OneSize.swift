package import CaptureModel

extension FormatOffer {
    /// Creates the offer of a camera with pictures of one size.
    package init(pixelFormat: PixelFormat, width: Int, height: Int, intervals: IntervalOffer) {
        let size = SizeOffer(
            widths: PixelRange(width, width), heights: PixelRange(height, height), intervals: [intervals])
        self.init(pixelFormat: pixelFormat, sizes: [size])
    }
}
