/// The layout of a camera's pixel data, by its V4L2 fourcc.
public enum PixelFormat: String, Hashable, Codable, Sendable, CaseIterable {
    /// Motion JPEG (`V4L2_PIX_FMT_MJPEG`): every frame is a JPEG image of its own.
    case mjpeg = "MJPG"
    /// Packed YCbCr 4:2:2, bytes Y0 Cb Y1 Cr (`V4L2_PIX_FMT_YUYV`).
    case yuyv = "YUYV"
}
