public import CaptureModel

/// What lies in `damaged/` of one capture.
public struct DamagedCapture: Hashable, Sendable {
    public var key: CaptureKey
    /// Names in `damaged/`; a capture that was moved there more than once has numbered ones.
    public var names: [String]
    /// Bytes of these files.
    public var byteCount: Int64
}
