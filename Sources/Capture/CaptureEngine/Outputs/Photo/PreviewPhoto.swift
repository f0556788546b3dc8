public import CaptureModel

/// A small picture of a photo, there before the photo is durable.
public struct PreviewPhoto: Hashable, Sendable {
    /// A whole JPEG with the still's metadata.
    public var jpeg: [UInt8]
    public var size: PixelSize
    /// From T until the preview was made, nanoseconds of rig time; longer by what T lay in the past when the capture was
    /// fired.
    public var latencyNanoseconds: Int64

    public init(jpeg: [UInt8], size: PixelSize, latencyNanoseconds: Int64) {
        self.jpeg = jpeg
        self.size = size
        self.latencyNanoseconds = latencyNanoseconds
    }
}
