public import CaptureModel

/// Which microphone a device is.
public enum MicrophoneSource: Hashable, Sendable {
    /// libasound's name, such as `hw:CARD=Webcam,DEV=0`.
    case alsa(device: String)
    case virtual(VirtualMicrophoneConfiguration)
}
