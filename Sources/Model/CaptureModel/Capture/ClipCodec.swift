/// How the pictures of a companion clip are coded.
public enum ClipCodec: String, Hashable, Codable, Sendable, CaseIterable {
    /// As the camera gave them, each a JPEG image.
    case mjpeg
    /// H.264, with sound as AAC: encoded by the node after the clip was recorded.
    case h264
}
