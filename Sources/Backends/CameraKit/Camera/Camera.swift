public import CaptureModel

/// A camera of this machine, of any backend.
///
/// A camera is closed until ``start(_:_:clock:)`` opens one of its streams, and closed again when every stream has ended.
/// Streams of different names may run at once; of each name there is at most one at a time.
public protocol Camera: Sendable {
    /// The streams that it offers, ``StreamName/main`` first, each with its formats.
    /// - Throws: ``CameraError``, as ``capabilities()``.
    func streams() async throws(CameraError) -> [StreamOffer]

    /// Opens the device where it is closed, negotiates the format of one stream and starts it.
    ///
    /// Otherwise as ``start(_:clock:)``, which starts the main stream.
    /// - Throws: ``CameraError``; `unsupportedFormat` for a stream that it does not offer.
    func start(
        _ stream: StreamName, _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream

    /// Opens the device, negotiates the format and starts the main stream.
    ///
    /// Blocking work is done on the camera's own thread; the caller only waits. It returns when the hardware runs or has
    /// failed, always.
    /// - Throws: ``CameraError``, whose code says whether the device is absent, busy, forbidden or broken.
    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream

    /// How its configuration names the hardware, such as `serial 7A3F0012`; nil where there is none.
    var identityDescription: String? { get }

    /// Whether this process may open the device, as things are. Nothing is captured, and it always ends.
    ///
    /// `notDetermined` where there is nothing to look at: the device is absent, or more than one matches.
    func authorization() async -> AuthorizationStatus

    /// What to do where ``authorization()`` is not `authorized`: a sentence, or nil where nothing is known.
    func authorizationRemedy() async -> String?

    /// The formats of the main stream and the controls, whether it streams or not; a closed device is opened for the
    /// moment it takes.
    /// - Throws: ``CameraError``, as ``start(_:clock:)``.
    func capabilities() async throws(CameraError) -> DeviceCapabilities
}

extension Camera {
    /// None: a camera without hardware.
    public var identityDescription: String? { nil }

    /// Nothing is known.
    public func authorizationRemedy() async -> String? { nil }
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
