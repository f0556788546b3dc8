package import CaptureModel

extension FormatRequest {
    /// Throws if the only format of a camera is not what is requested.
    /// - Parameters:
    ///   - source: Who decides about the format: `its program writes`.
    ///   - remedy: What can be corrected beside `format`.
    package func require(
        _ format: VideoFormat, framesPerSecond rate: Double, of device: String, source: String, remedy: String
    ) throws(CameraError) {
        let isRate = framesPerSecond.map { abs($0 - rate) <= rate / 1000 } ?? true
        guard pixelFormat ?? format.pixelFormat == format.pixelFormat, width ?? format.width == format.width,
            height ?? format.height == format.height, isRate
        else {
            throw CameraError(
                .unsupportedFormat, device: device, operation: "start",
                reason:
                    "\(source) \(format.pixelFormat.rawValue) \(format.width)x\(format.height) at \(rate) frames per "
                    + "second, and nothing else; correct `format`, or \(remedy)")
        }
    }
}

extension DeviceCapabilities {
    /// Those of a camera with one format.
    package init(only format: VideoFormat) {
        let interval = format.frameIntervalNanoseconds
        let offer = FormatOffer(
            pixelFormat: format.pixelFormat, width: format.width, height: format.height,
            intervals: IntervalOffer(shortestNanoseconds: interval, longestNanoseconds: interval))
        self.init(formats: [offer])
    }
}
