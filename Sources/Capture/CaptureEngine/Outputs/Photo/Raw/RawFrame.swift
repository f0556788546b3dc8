public import CaptureModel

/// A sensor's samples as the camera delivered them: a packed frame of a mosaic.
public struct RawFrame: Hashable, Sendable {
    public var bytes: [UInt8]
    /// The format of the stream it is from.
    public var format: VideoFormat

    public init(bytes: [UInt8], format: VideoFormat) {
        self.bytes = bytes
        self.format = format
    }
}
