import ALSA
public import CameraKit
public import CaptureModel
import PosixSupport
import RigConfiguration

/// A microphone of this machine, as a person finds it before configuring it.
public struct MicrophoneListing: Hashable, Codable, Sendable {
    /// libasound's name, as the configuration takes it: `hw:CARD=Webcam,DEV=0`.
    public var device: String
    /// Card and device in people's words.
    public var description: String
    public var authorization: AuthorizationStatus
    /// What to do where it may not be opened; nil otherwise.
    public var remedy: String?

    public init(device: String, description: String, authorization: AuthorizationStatus, remedy: String? = nil) {
        self.device = device
        self.description = description
        self.authorization = authorization
        self.remedy = remedy
    }

    /// The line of a configuration that means this microphone, by its card's word.
    public var configurationLine: String { "source: { alsa: \(device.quotedForYAML) }" }

    /// What ``ofThisMachine()`` says, found on a thread of its own.
    /// - Throws: ``CameraError`` where there is no thread to be had.
    public static func all() async throws(CameraError) -> [MicrophoneListing] {
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "list-devices") { ofThisMachine() }
        } catch {
            throw CameraError(.failed, device: "this machine", operation: "list microphones", reason: error.description)
        }
    }

    /// Every capture device of the machine's sound cards that can be looked at. Opens each card's control device for a
    /// moment; blocks.
    public static func ofThisMachine() -> [MicrophoneListing] {
        PCMDevice.all().map { device in
            let access = SoundNode(device: device.name)?.access()
            return MicrophoneListing(
                device: device.name, description: "\(device.cardName): \(device.deviceName)",
                authorization: access?.status ?? .notDetermined, remedy: access?.remedy)
        }
    }
}

extension MicrophoneListing: DeviceListing {
    public var mediaType: MediaType { .audio }

    public var paragraph: [String] {
        [
            "\(device)  \(description)", "    \(configurationLine)",
            "  \(authorization.rawValue)\(remedy.map { ": \($0)" } ?? "")",
        ]
    }
}
