public import CaptureModel

/// What a frame comes over from its camera to an output.
public struct OutputConnection: Hashable, Sendable {
    /// The format of the camera's stream; its width and height are those of the frame.
    public var format: VideoFormat
    /// The turn that makes the picture stand upright. It is told with the frame; the pixels are not turned.
    public var orientation: Orientation

    public init(format: VideoFormat, orientation: Orientation) {
        self.format = format
        self.orientation = orientation
    }
}
