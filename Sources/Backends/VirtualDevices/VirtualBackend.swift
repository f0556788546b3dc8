public import CameraKit

/// Cameras and microphones made of software. There is none to find: a configuration makes as many as it names.
public struct VirtualBackend: CaptureBackend {
    public let name = VirtualCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = VirtualCameraConfiguration.self
    public let microphones: (any MicrophoneSource.Type)? = VirtualMicrophoneConfiguration.self

    public init() {}
}
