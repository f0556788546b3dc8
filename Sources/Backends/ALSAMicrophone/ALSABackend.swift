public import CameraKit
public import CaptureModel
public import PosixSupport
public import RigConfiguration

/// Microphones of libasound.
public struct ALSABackend: CaptureBackend {
    public let name = ALSASource.key
    public let microphones: (any MicrophoneSource.Type)? = ALSASource.self

    public init() {}

    public func discover() async throws(CameraError) -> Discovery? {
        Discovery(try await MicrophoneListing.all(), absence: "This machine shows no microphone of ALSA.")
    }

    public func arrivals() throws(PosixError) -> AsyncStream<Void>? {
        try DeviceArrivals.announced(bySubsystem: "sound")
    }
}

/// `alsa: DEVICE`: libasound's name, such as `hw:CARD=Webcam,DEV=0`.
public struct ALSASource: MicrophoneSource {
    public static let key = "alsa"

    public var device: String

    public init(device: String) {
        self.device = device
    }

    public init?(_ value: YAMLValue) {
        guard let device = value.scalar(.text(limit: 128)) else { return nil }
        self.init(device: device)
    }

    public var written: WrittenValue { .text(device) }

    public var hardware: String? { device }

    public func makeMicrophone(name: DeviceName, latencyOffset: Duration) -> any Microphone {
        ALSAMicrophone(name: name.rawValue, device: device, latencyOffset: latencyOffset)
    }
}

extension DeviceSource {
    /// A microphone of ALSA.
    public static func alsa(device: String) -> DeviceSource { DeviceSource(ALSASource(device: device)) }
}
