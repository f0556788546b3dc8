/// What a capture will be, told before it happens, after AVFoundation's `AVCaptureResolvedPhotoSettings`.
public struct ResolvedPhotoSettings: Hashable, Codable, Sendable {
    /// Width and height of the still in pixels, before its orientation is applied.
    public var width: Int
    public var height: Int
    /// The format of the stream the still is taken from.
    public var streamFormat: VideoFormat
    /// Whether the still is the camera's own JPEG bytes; else the node encodes it once.
    public var isCameraEncoded: Bool
    public var orientation: Orientation

    public init(width: Int, height: Int, streamFormat: VideoFormat, isCameraEncoded: Bool, orientation: Orientation) {
        self.width = width
        self.height = height
        self.streamFormat = streamFormat
        self.isCameraEncoded = isCameraEncoded
        self.orientation = orientation
    }
}
