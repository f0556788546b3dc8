public import CaptureModel

/// A camera of this machine, of any make: virtual, V4L2, file.
///
/// A camera is closed until ``start(_:clock:)`` opens it, and closed again when the stream it returned has ended. At most
/// one stream exists at a time.
public protocol Camera: Sendable {
    /// Opens the device, negotiates the format and starts streaming.
    ///
    /// Blocking work is done on the camera's own thread; the caller only waits. It returns when the hardware runs or has
    /// failed, always.
    /// - Throws: ``CameraError``, whose code says whether the device is absent, busy, forbidden or broken.
    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream
}

/// The format wished for; nil leaves the choice to the camera.
public struct FormatRequest: Hashable, Codable, Sendable {
    public var pixelFormat: PixelFormat?
    public var width: Int?
    public var height: Int?
    public var framesPerSecond: Double?

    public init(
        pixelFormat: PixelFormat? = nil, width: Int? = nil, height: Int? = nil, framesPerSecond: Double? = nil
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.framesPerSecond = framesPerSecond
    }
}
