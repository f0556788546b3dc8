import CaptureModel

extension ResolvedPhotoSettings {
    /// Takes over the format that the camera leaves its stream for, where it does.
    mutating func take(_ format: VideoFormat?) {
        guard let format else { return }
        photoFormat = format
        (width, height) = (format.width, format.height)
        isCameraEncoded = format.pixelFormat == .mjpeg
    }

    /// Time from frame to frame of what the camera leaves its stream for.
    var interval: Duration? { photoFormat?.frameInterval }
}
