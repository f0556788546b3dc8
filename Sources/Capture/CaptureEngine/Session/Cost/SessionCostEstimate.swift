package import CameraKit
package import CaptureModel

/// Estimates the cost of a format. Figures that depend on the picture are on the high side.
package enum SessionCostEstimate {
    /// Bits per pixel of a JPEG: what cameras and this encoder need for a detailed scene at quality 90.
    static let jpegBitsPerPixel = 3.0
    /// Time to encode a pixel, nanoseconds: 1920 × 1080 in 5.4 ms on one core (docs/performance.md).
    static let encodeNanosecondsPerPixel = 2.6

    /// - Parameter bytesPerFrame: Measured bytes of a frame in the ring; nil before there are any.
    static func cost(
        of format: VideoFormat, policy: SessionPolicy, bytesPerFrame: Int?, bus: SessionCost.USBBus?
    ) -> SessionCost {
        let pixels = pixels(of: format)
        let rate = rate(of: format)
        let isCompressed = format.pixelFormat == .mjpeg
        let isMosaic = format.pixelFormat.family.isMosaic
        let kept = bytesPerFrame.map(Double.init) ?? (isMosaic ? packedBytes(of: format) : nil) ?? jpegBytes(of: format)
        return SessionCost(
            streamBytesPerSecond: streamBytesPerSecond(of: format, compressedBytes: kept),
            ringBytes: Int64(clampingRounded: kept * rate * policy.ringDepth.seconds),
            ringLimitBytes: Int64(policy.ringByteLimit),
            // A mosaic is stored unchanged.
            encodePermille: isCompressed || isMosaic
                ? 0 : Int(Int64(clampingRounded: pixels * rate * encodeNanosecondsPerPixel / 1e6)), bus: bus)
    }

    /// Returns the bytes per second from a camera to its node, before it has delivered a frame.
    package static func streamBytesPerSecond(of format: VideoFormat) -> Int64 {
        streamBytesPerSecond(of: format, compressedBytes: jpegBytes(of: format))
    }

    /// Returns the format that a request for a camera comes to, if it defines enough of it.
    package static func plannedFormat(for request: FormatRequest) -> VideoFormat? {
        guard let width = request.width, let height = request.height else { return nil }
        let rate = request.framesPerSecond ?? FormatResolution.defaultRate
        guard rate.isFinite, rate > 0 else { return nil }
        return VideoFormat(
            pixelFormat: request.pixelFormat ?? .mjpeg, width: width, height: height,
            frameInterval: .seconds(1) / rate)
    }

    private static func streamBytesPerSecond(of format: VideoFormat, compressedBytes: Double) -> Int64 {
        let other = format.pixelFormat == .mjpeg ? compressedBytes : pixels(of: format) * 2
        return Int64(clampingRounded: (packedBytes(of: format) ?? other) * rate(of: format))
    }

    private static func pixels(of format: VideoFormat) -> Double { Double(format.width) * Double(format.height) }

    private static func rate(of format: VideoFormat) -> Double { 1e9 / Double(max(format.frameIntervalNanoseconds, 1)) }

    private static func jpegBytes(of format: VideoFormat) -> Double { pixels(of: format) * jpegBitsPerPixel / 8 }

    /// nil for a format whose frames have no fixed size.
    private static func packedBytes(of format: VideoFormat) -> Double? {
        format.pixelFormat.byteCount(width: format.width, height: format.height).map(Double.init)
    }
}

extension SessionCost.USBBus {
    package init(_ port: USBPort) {
        self.init(number: port.busNumber, limitBytesPerSecond: port.periodicBytesPerSecond)
    }
}
