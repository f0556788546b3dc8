import CameraKit
import CaptureModel

extension VideoFormat {
    /// The format of a stream of recorded images: their size, at the rate asked for or configured.
    init(
        _ request: FormatRequest, of index: RecordingIndex, _ configuration: FileCameraConfiguration
    ) throws(RecordingProblem) {
        let rate = request.framesPerSecond ?? configuration.framesPerSecond
        guard request.pixelFormat ?? .mjpeg == .mjpeg, request.width ?? index.width == index.width,
            request.height ?? index.height == index.height, FileCameraLimits.framesPerSecond.contains(rate)
        else {
            throw RecordingProblem(
                .unsupportedFormat,
                "the recording holds \(PixelFormat.mjpeg.rawValue) \(index.width)x\(index.height), "
                    + "played at \(FileCameraLimits.framesPerSecond) frames per second, and nothing else; "
                    + "leave `format` away or correct it")
        }
        self.init(
            pixelFormat: .mjpeg, width: index.width, height: index.height,
            frameInterval: .nanoseconds(Int64((1e9 / rate).rounded())))
    }
}
