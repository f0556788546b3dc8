public import CaptureModel

/// Which input feeds which output, and how the picture is to be turned and mirrored; after AVFoundation's
/// `AVCaptureConnection`.
public struct CaptureConnection: Hashable, Sendable {
    /// The device of the input.
    public let input: DeviceID
    public let output: CaptureOutputKind
    /// Whether frames go over it; a disabled one leaves the output without frames.
    public var isEnabled: Bool
    /// Clockwise turn that makes the picture stand upright. The connections of one input share one orientation, so that
    /// what is seen in the preview is what is taken.
    public var orientation: Orientation
    /// Whether left and right are exchanged once the picture stands upright; shared as the orientation is.
    public var isVideoMirrored: Bool

    public init(
        input: DeviceID, output: CaptureOutputKind, isEnabled: Bool = true, orientation: Orientation,
        isVideoMirrored: Bool = false
    ) {
        self.input = input
        self.output = output
        self.isEnabled = isEnabled
        self.orientation = orientation
        self.isVideoMirrored = isVideoMirrored
    }
}
