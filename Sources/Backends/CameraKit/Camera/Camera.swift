public import CaptureModel

extension Camera {
    /// Returns the main stream only.
    public func streams() async throws(CameraError) -> [StreamOffer] {
        [StreamOffer(.main, formats: try await capabilities().formats)]
    }

    /// Starts the main stream, and refuses every other.
    public func start(
        _ stream: StreamName, _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        guard stream == .main else {
            throw CameraError(noStream: stream, among: [.main], device: identityDescription ?? "camera")
        }
        return try await start(request, clock: clock)
    }
}

/// A camera of this machine, of any backend.
///
/// A camera is closed until ``start(_:_:clock:)`` opens one of its streams, and closed again when every stream has
/// ended. Streams with different names may run at once; at most one per name.
public protocol Camera: Sendable {
    /// Returns the streams that it offers, ``StreamName/main`` first, each with its formats.
    /// - Throws: ``CameraError``, as ``capabilities()``.
    func streams() async throws(CameraError) -> [StreamOffer]

    /// Opens the device if it is closed, negotiates the format of one stream and starts it.
    ///
    /// Otherwise like ``start(_:clock:)``, which starts the main stream.
    /// - Throws: ``CameraError``; `unsupportedFormat` for a stream that it does not offer.
    func start(
        _ stream: StreamName, _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream

    /// Opens the device, negotiates the format and starts the main stream.
    ///
    /// The camera's own thread does blocking work; the caller only waits. The call always returns when the hardware
    /// runs or has failed.
    /// - Throws: ``CameraError``, whose code tells whether the device is absent, busy, forbidden or broken.
    func start(_ request: FormatRequest, clock: any TimeSource) async throws(CameraError) -> any CameraStream

    /// The configuration's identity of the hardware, such as `serial 7A3F0012`; nil if there is none.
    var identityDescription: String? { get }

    /// What its stamps are at present, and their configured correction; nil if that is not known.
    var stamps: CameraStamps? { get }

    /// Returns whether this process may open the device at present. Nothing is captured, and the call always ends.
    ///
    /// `notDetermined` if there is no node to check: the device is absent, or more than one matches.
    func authorization() async -> AuthorizationStatus

    /// Returns what to do if ``authorization()`` is not `authorized`: a sentence, or nil if nothing is known.
    func authorizationRemedy() async -> String?

    /// Returns the USB port that it is plugged into; nil for a camera that is absent or not on USB. Nothing is opened.
    func usbPort() async -> USBPort?

    /// Returns the formats of the main stream and the controls, whether it streams or not. A closed device is opened
    /// for the duration of the call.
    /// - Throws: ``CameraError``, as ``start(_:clock:)``.
    func capabilities() async throws(CameraError) -> DeviceCapabilities
}

extension Camera {
    /// None: a camera without hardware.
    public var identityDescription: String? { nil }

    /// None: nothing is known of its stamps.
    public var stamps: CameraStamps? { nil }

    /// Returns nil: nothing is known.
    public func authorizationRemedy() async -> String? { nil }

    /// Returns nil: a camera that is not on USB.
    public func usbPort() async -> USBPort? { nil }
}
