public import CaptureModel

/// A microphone of this machine, of any backend.
///
/// It is closed until ``start(_:clock:)`` opens it, and closed again when the returned stream has ended. At most one
/// stream exists at a time. Nothing listens while no stream is started.
public protocol Microphone: Sendable {
    /// Opens the device, negotiates the format and starts the hardware.
    ///
    /// The microphone's own thread does blocking work; the caller only waits. The call always returns when the hardware
    /// runs or has failed.
    /// - Throws: ``CameraError``, whose code tells whether the device is absent, busy, forbidden or broken.
    func start(_ request: AudioFormatRequest, clock: any TimeSource) async throws(CameraError) -> any MicrophoneStream

    /// The configuration's identity of the hardware, such as `hw:CARD=Webcam,DEV=0`; nil if there is none.
    var identityDescription: String? { get }

    /// Returns whether this process may open the device at present. Nothing is captured, and the call always ends.
    ///
    /// `notDetermined` if there is no node to check.
    func authorization() async -> AuthorizationStatus

    /// Returns what to do if ``authorization()`` is not `authorized`: a sentence, or nil if nothing is known.
    func authorizationRemedy() async -> String?
}

/// The requested sound format. nil leaves the choice to the microphone.
public struct AudioFormatRequest: Hashable, Codable, Sendable {
    /// Frames per second, exactly.
    public var sampleRate: Int?
    /// Channels, exactly.
    public var channels: Int?

    public init(sampleRate: Int? = nil, channels: Int? = nil) {
        self.sampleRate = sampleRate
        self.channels = channels
    }
}

/// A piece of sound as the microphone delivered it, with its stamps. A *frame* is one sample of every channel.
public struct AudioBuffer: Hashable, Sendable {
    /// Signed, interleaved.
    public var samples: [Int16]
    public var format: AudioFormat
    /// When the first frame was recorded, on this machine's clock.
    public var firstFrame: LocalTime
    /// Largest error of `firstFrame`, as far as driver and configuration report it.
    public var stampBound: Duration
    /// Number of the first frame, counted from the start of the stream, including lost frames.
    public var position: UInt64
    /// Frames lost just before the first one, by an overrun of the device; 0 if it follows the previous buffer.
    public var lostFrames: UInt64

    public init(
        samples: [Int16], format: AudioFormat, firstFrame: LocalTime, stampBound: Duration, position: UInt64,
        lostFrames: UInt64 = 0
    ) {
        self.samples = samples
        self.format = format
        self.firstFrame = firstFrame
        self.stampBound = stampBound
        self.position = position
        self.lostFrames = lostFrames
    }

    public var frameCount: Int { samples.count / max(format.channels, 1) }

    /// When the frame after the last one is due, at the nominal rate.
    public var end: LocalTime { firstFrame + format.duration(ofFrames: frameCount) }
}
