internal import CaptureModel

/// A format a camera streams in.
struct VideoFormatDocument: Codable, Sendable {
    var pixelFormat: PixelFormat
    var width: Int
    var height: Int
    var frameIntervalNanoseconds: Int64

    private enum CodingKeys: String, CodingKey {
        case pixelFormat = "pixelFormat"
        case width = "width"
        case height = "height"
        case frameIntervalNanoseconds = "frameIntervalNanoseconds"
    }

    init(_ value: VideoFormat) {
        pixelFormat = value.pixelFormat
        width = value.width
        height = value.height
        frameIntervalNanoseconds = value.frameIntervalNanoseconds
    }

    var value: VideoFormat {
        VideoFormat(
            pixelFormat: pixelFormat, width: width, height: height,
            frameInterval: .nanoseconds(frameIntervalNanoseconds))
    }
}

/// Width and height in pixels.
struct PixelSizeDocument: Codable, Sendable {
    var width: Int
    var height: Int

    private enum CodingKeys: String, CodingKey {
        case width = "width"
        case height = "height"
    }

    init(_ value: PixelSize) {
        width = value.width
        height = value.height
    }

    var value: PixelSize {
        PixelSize(width: width, height: height)
    }
}
