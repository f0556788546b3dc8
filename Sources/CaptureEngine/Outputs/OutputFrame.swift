public import CaptureModel

/// A frame as a session offers it to its outputs.
public struct OfferedFrame: Sendable {
    public var frame: RingFrame
    public var connection: OutputConnection

    public init(frame: RingFrame, connection: OutputConnection) {
        self.frame = frame
        self.connection = connection
    }
}

/// A frame as an output hands it on.
public struct OutputFrame: Sendable {
    /// The stamps of the camera's frame, and the picture of this output.
    public var frame: RingFrame
    /// Pixels of the picture, before orientation.
    public var width: Int
    public var height: Int
    public var orientation: Orientation
    /// Frames that this output did not hand on, since the one before.
    public var drops: OutputDrops
}

extension OutputFrame {
    /// A frame handed on as it is.
    init(_ offered: OfferedFrame, _ drops: OutputDrops) {
        self.init(
            frame: offered.frame, width: offered.connection.format.width, height: offered.connection.format.height,
            orientation: offered.connection.orientation, drops: drops)
    }
}
