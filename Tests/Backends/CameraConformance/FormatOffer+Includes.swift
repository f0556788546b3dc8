import CaptureModel

extension FormatOffer {
    /// Whether a format is on offer, its rate aside; a device that tells no sizes may offer any.
    func includes(_ format: VideoFormat) -> Bool {
        pixelFormat == format.pixelFormat && (sizes.isEmpty || sizes.contains { $0.includes(format) })
    }
}

extension SizeOffer {
    fileprivate func includes(_ format: VideoFormat) -> Bool {
        widths.includes(format.width) && heights.includes(format.height)
    }
}

extension PixelRange {
    fileprivate func includes(_ pixels: Int) -> Bool {
        (smallest...max(smallest, largest)).contains(pixels) && (pixels - smallest) % max(step, 1) == 0
    }
}
