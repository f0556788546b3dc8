public import CaptureModel

/// A frame as a session offers it to its outputs.
public struct OfferedFrame: Sendable {
    public var frame: PictureFrame
    /// The format of the camera's stream; its width and height are those of the frame.
    public var format: VideoFormat
    /// The turn that makes the picture stand upright, and whether left and right are exchanged after it, as the session's
    /// connections have them. They are told with the frame; the pixels stay as they are.
    public var orientation: Orientation
    public var isMirrored: Bool

    public init(frame: PictureFrame, format: VideoFormat, orientation: Orientation, isMirrored: Bool) {
        self.frame = frame
        self.format = format
        self.orientation = orientation
        self.isMirrored = isMirrored
    }

    var size: PixelSize { PixelSize(width: format.width, height: format.height) }
}

/// A frame as an output hands it on.
public struct OutputFrame: Sendable {
    /// The stamps of the camera's frame, and the picture of this output.
    public var frame: PictureFrame
    /// Pixels of the picture, before orientation.
    public var width: Int
    public var height: Int
    /// How the picture is to be shown, so that it is seen as it would be taken: turned clockwise, then mirrored.
    public var orientation: Orientation
    public var isMirrored: Bool
    /// Frames that this output did not hand on, since the one before.
    public var drops: OutputDrops
}

extension OutputFrame {
    /// A frame handed on as it is.
    init(_ offered: OfferedFrame, _ drops: OutputDrops) {
        self.init(
            frame: offered.frame, width: offered.format.width, height: offered.format.height,
            orientation: offered.orientation, isMirrored: offered.isMirrored, drops: drops)
    }
}
