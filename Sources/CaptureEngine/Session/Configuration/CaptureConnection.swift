public import CaptureModel

/// Which input feeds which output, and how the picture is to be turned; after AVFoundation's `AVCaptureConnection`.
public struct CaptureConnection: Hashable, Sendable {
    /// The device of the input.
    public let input: DeviceID
    public let output: CaptureOutputKind
    /// Whether frames go over it; a disabled one leaves the output without frames.
    public var isEnabled: Bool
    /// Clockwise turn that makes the picture stand upright. The connections of one input share one orientation, so that
    /// what is seen in the preview is what is taken.
    public var orientation: Orientation

    public init(input: DeviceID, output: CaptureOutputKind, isEnabled: Bool = true, orientation: Orientation) {
        self.input = input
        self.output = output
        self.isEnabled = isEnabled
        self.orientation = orientation
    }
}
