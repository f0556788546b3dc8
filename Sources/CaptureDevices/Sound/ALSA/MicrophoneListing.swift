import ALSA
public import CaptureModel

/// A microphone of this machine, as a person finds it before configuring it.
public struct MicrophoneListing: Hashable, Codable, Sendable {
    /// libasound's name, as the configuration takes it: `hw:CARD=Webcam,DEV=0`.
    public var device: String
    /// Card and device in people's words.
    public var description: String
    public var authorization: AuthorizationStatus
    /// What to do where it may not be opened; nil otherwise.
    public var remedy: String?

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
