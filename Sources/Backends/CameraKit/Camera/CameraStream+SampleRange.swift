public import CaptureModel

extension CameraStream {
    /// The full range, as cameras have it that deliver JPEG.
    public var sampleRange: SampleRange { .full }
}
