public import CaptureModel

/// The requested format. nil leaves the choice to the camera.
public struct FormatRequest: Hashable, Codable, Sendable {
    public var pixelFormat: PixelFormat?
    public var width: Int?
    public var height: Int?
    public var framesPerSecond: Double?

    public init(
        pixelFormat: PixelFormat? = nil, width: Int? = nil, height: Int? = nil, framesPerSecond: Double? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }
}
