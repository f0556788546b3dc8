public import CaptureModel

/// A camera's name for one of its streams, such as `main` or `preview`.
public struct StreamName: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public var rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stream from which captures are made. Every camera has it.
    public static let main = StreamName(rawValue: "main")

    public var description: String { rawValue }
}

/// One stream that a camera offers, with all its formats.
public struct StreamOffer: Hashable, Sendable {
    public var name: StreamName
    public var formats: [FormatOffer]

    public init(_ name: StreamName, formats: [FormatOffer]) {
        self.name = name
        self.formats = formats
    }
}

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

extension CameraError {
    /// Creates the error of a camera that has no stream with this name.
    package init(noStream name: StreamName, among offered: [StreamName], device: String) {
        let names = offered.map { "'\($0)'" }.joined(separator: ", ")
        self.init(
            .unsupportedFormat, device: device, operation: "start",
            reason: "it has no stream '\(name)'; ask for one that it offers: \(names)")
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

    /// Returns whether this process may open the device at present. Nothing is captured, and the call always ends.
    ///
    /// `notDetermined` if there is no node to check: the device is absent, or more than one matches.
    func authorization() async -> AuthorizationStatus

    /// Returns what to do if ``authorization()`` is not `authorized`: a sentence, or nil if nothing is known.
    func authorizationRemedy() async -> String?

    /// Returns the formats of the main stream and the controls, whether it streams or not. A closed device is opened
    /// for the duration of the call.
    /// - Throws: ``CameraError``, as ``start(_:clock:)``.
    func capabilities() async throws(CameraError) -> DeviceCapabilities
}

extension Camera {
    /// None: a camera without hardware.
    public var identityDescription: String? { nil }

    /// Returns nil: nothing is known.
    public func authorizationRemedy() async -> String? { nil }
}

/// The requested format. nil leaves the choice to the camera.
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
