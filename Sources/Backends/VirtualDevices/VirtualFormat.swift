import CameraKit
import CaptureModel
import TimeCode

/// The format agreed for one stream, from the request and the configuration.
struct VirtualFormat {
    let stream: StreamName
    let video: VideoFormat
    let framesPerSecond: Double
    let layout: TimeCodeLayout

    init(_ request: FormatRequest, for stream: StreamName, of device: VirtualDevice) throws(CameraError) {
        let configuration = device.configuration
        guard let own = configuration.size(of: stream) else {
            throw CameraError(noStream: stream, among: configuration.streams, device: device.name)
        }
        self.stream = stream
        let (width, height) = (request.width ?? own.width, request.height ?? own.height)
        let rate = request.framesPerSecond ?? configuration.framesPerSecond
        let pixelFormat = request.pixelFormat ?? .mjpeg
        guard Self.pixelFormats.contains(pixelFormat) else {
            throw device.error(.unsupportedFormat, "negotiate", "a virtual camera delivers MJPG and Bayer formats only")
        }
        guard VirtualLimits.width.contains(width), VirtualLimits.height.contains(height) else {
            let limits = "\(VirtualLimits.width) by \(VirtualLimits.height)"
            throw device.error(.unsupportedFormat, "negotiate", "\(width)x\(height) is not within \(limits) pixels")
        }
        guard VirtualLimits.framesPerSecond.contains(rate) else {
            let limits = "\(VirtualLimits.framesPerSecond)"
            throw device.error(.unsupportedFormat, "negotiate", "\(rate) frames per second are not within \(limits)")
        }
        do {
            layout = try TimeCodeLayout(width: width, height: height)
        } catch {
            throw device.error(.unsupportedFormat, "negotiate", "\(error)")
        }
        framesPerSecond = rate
        let interval = Duration.nanoseconds(Int64((1e9 / rate).rounded()))
        video = VideoFormat(pixelFormat: pixelFormat, width: width, height: height, frameInterval: interval)
    }

    private static let pixelFormats = [.mjpeg] + PixelFormat.allCases.filter(\.family.isMosaic)

    static func offers(_ configuration: VirtualCameraConfiguration, _ stream: StreamName) -> [FormatOffer] {
        pixelFormats.map { offer($0, configuration, stream) }
    }

    /// What a camera can be asked for: the size and rate that it is configured with, which are those of its sensor, and any
    /// other, made to order.
    private static func offer(
        _ pixelFormat: PixelFormat, _ configuration: VirtualCameraConfiguration, _ stream: StreamName
    ) -> FormatOffer {
        // What cannot be started has no size of its own either.
        guard configuration.problems.isEmpty, let size = configuration.size(of: stream) else {
            return FormatOffer(pixelFormat: pixelFormat, sizes: [anySize])
        }
        let interval = Int64((1e9 / configuration.framesPerSecond).rounded())
        let own = SizeOffer(
            widths: PixelRange(size.width, size.width), heights: PixelRange(size.height, size.height),
            intervals: [IntervalOffer(shortestNanoseconds: interval, longestNanoseconds: interval)])
        return FormatOffer(pixelFormat: pixelFormat, sizes: [own, anySize])
    }

    private static let anySize = SizeOffer(
        widths: PixelRange(VirtualLimits.width.lowerBound, VirtualLimits.width.upperBound),
        heights: PixelRange(VirtualLimits.height.lowerBound, VirtualLimits.height.upperBound),
        intervals: [
            IntervalOffer(
                shortestNanoseconds: Int64(1e9 / VirtualLimits.framesPerSecond.upperBound),
                longestNanoseconds: Int64(1e9 / VirtualLimits.framesPerSecond.lowerBound))
        ], isMadeToOrder: true)
}
