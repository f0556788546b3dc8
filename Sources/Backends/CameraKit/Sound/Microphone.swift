public import CaptureModel

/// A microphone of this machine, of any backend.
///
/// It is closed until ``start(_:clock:)`` opens it, and closed again when the stream it returned has ended. At most one
/// stream exists at a time. The device is asked for the sound of a moment only by whoever starts it: nothing listens else.
public protocol Microphone: Sendable {
    /// Opens the device, negotiates the format and starts the hardware.
    ///
    /// Blocking work is done on the microphone's own thread; the caller only waits. It returns when the hardware runs or
    /// has failed, always.
    /// - Throws: ``CameraError``, whose code says whether the device is absent, busy, forbidden or broken.
    func start(_ request: AudioFormatRequest, clock: any TimeSource) async throws(CameraError) -> any MicrophoneStream

    /// How its configuration names the hardware, such as `hw:CARD=Webcam,DEV=0`; nil where there is none.
    var identityDescription: String? { get }

    /// Whether this process may open the device, as things are. Nothing is captured, and it always ends.
    ///
    /// `notDetermined` where there is nothing to look at.
    func authorization() async -> AuthorizationStatus

    /// What to do where ``authorization()`` is not `authorized`: a sentence, or nil where nothing is known.
    func authorizationRemedy() async -> String?
}

/// The sound format wished for; nil leaves the choice to the microphone.
public struct AudioFormatRequest: Hashable, Codable, Sendable {
    /// Frames a second, exactly.
    public var sampleRate: Int?
    /// Channels, exactly.
    public var channels: Int?

    public init(sampleRate: Int? = nil, channels: Int? = nil) {
        self.sampleRate = sampleRate
        self.channels = channels
    }
}
