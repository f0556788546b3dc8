import ALSA
public import CameraKit
public import CaptureModel
import PosixSupport
import RigConfiguration

/// A microphone of this machine, as listed before it is configured.
public struct MicrophoneListing: Hashable, Codable, Sendable {
    /// The libasound name, as used in the configuration: `hw:CARD=Webcam,DEV=0`.
    public var device: String
    /// Names of card and device for people.
    public var description: String
    public var authorization: AuthorizationStatus
    /// What to do if it may not be opened; nil otherwise.
    public var remedy: String?

    public init(device: String, description: String, authorization: AuthorizationStatus, remedy: String? = nil) {
        self.device = device
        self.description = description
        self.authorization = authorization
        self.remedy = remedy
    }

    /// The line of a configuration for this microphone, by the ID of its card.
    public var configurationLine: String { "source: { alsa: \(device.quotedForYAML) }" }

    /// Returns the result of ``ofThisMachine()``, from a separate thread.
    /// - Throws: ``CameraError`` if no thread can be created.
    public static func all() async throws(CameraError) -> [MicrophoneListing] {
        do throws(PosixError) {
            return try await BlockingCall.run(thread: "list-devices") { ofThisMachine() }
        } catch {
            throw CameraError(.failed, device: "this machine", operation: "list microphones", reason: error.description)
        }
    }

    /// Returns every capture device of the machine's sound cards that can be inspected. Opens each card's control
    /// device briefly; blocks.
    public static func ofThisMachine() -> [MicrophoneListing] {
        PCMDevice.all().map { device in
            let access = PCMNode(device: device.name)?.access()
            return MicrophoneListing(
                device: device.name, description: "\(device.cardName): \(device.deviceName)",
                authorization: access?.status ?? .notDetermined, remedy: access?.remedy)
        }
    }
}

extension MicrophoneListing: DeviceListing {
    public var mediaType: MediaType { .audio }
    public var title: String { description }
    public var stableLine: String? { configurationLine }

    public var paragraph: [String] {
        [
            "\(device)  \(description)", "    \(configurationLine)",
            "  \(authorization.rawValue)\(remedy.map { ": \($0)" } ?? "")",
        ]
    }
}
