public import CaptureModel

/// A camera shows another scene than before, after AVFoundation's `AVCaptureDeviceSubjectAreaDidChange`: time to focus and
/// expose anew, where the camera does not by itself.
public struct SceneChange: Hashable, Sendable {
    /// Mid-exposure of the frame that showed it.
    public var time: LocalTime
    /// How far the luma of the picture's twelfths was from what it had been, on average, of 255.
    public var difference: Int
    /// Mean luma of that frame, 0 black to 255 white.
    public var luma: Int
    /// Changes that this stands for: more than 1 where earlier ones came too soon after the last that was told.
    public var count: Int

    public init(time: LocalTime, difference: Int, luma: Int, count: Int = 1) {
        self.time = time
        self.difference = difference
        self.luma = luma
        self.count = count
    }
}
