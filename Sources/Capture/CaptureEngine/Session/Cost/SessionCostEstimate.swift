import CameraKit
import CaptureModel

/// Estimates the cost of a format. Figures that depend on the picture are on the high side.
enum SessionCostEstimate {
    /// Bits per pixel of a JPEG: what cameras and this encoder need for a detailed scene at quality 90.
    static let jpegBitsPerPixel = 3.0
    /// Time to encode a pixel, nanoseconds: 1920 × 1080 in 5.4 ms on one core (docs/performance.md).
    static let encodeNanosecondsPerPixel = 2.6

    /// - Parameter bytesPerFrame: Measured bytes of a frame in the ring; nil before there are any.
    static func cost(
        of format: VideoFormat, policy: SessionPolicy, bytesPerFrame: Int?, bus: SessionCost.USBBus?
    ) -> SessionCost {
        let pixels = Double(format.width) * Double(format.height)
        let rate = 1e9 / Double(max(format.frameIntervalNanoseconds, 1))
        let packed = format.pixelFormat.byteCount(width: format.width, height: format.height).map(Double.init)
        let isCompressed = format.pixelFormat == .mjpeg
        let isMosaic = format.pixelFormat.family.isMosaic
        let kept = bytesPerFrame.map(Double.init) ?? (isMosaic ? packed : nil) ?? pixels * jpegBitsPerPixel / 8
        let frameBytes = packed ?? (isCompressed ? kept : pixels * 2)
        return SessionCost(
            streamBytesPerSecond: Int64(clampingRounded: frameBytes * rate),
            ringBytes: Int64(clampingRounded: kept * rate * policy.ringDepth.seconds),
            ringLimitBytes: Int64(policy.ringByteLimit),
            // A mosaic is stored unchanged.
            encodePermille: isCompressed || isMosaic
                ? 0 : Int(Int64(clampingRounded: pixels * rate * encodeNanosecondsPerPixel / 1e6)), bus: bus)
    }
}

extension SessionCost.USBBus {
    init(_ port: USBPort) {
        self.init(number: port.busNumber, limitBytesPerSecond: port.periodicBytesPerSecond)
    }
}
