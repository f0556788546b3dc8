public import CameraKit

/// Cameras that are the output of programs. There are none to discover: a configuration names the program.
public struct CommandBackend: CaptureBackend {
    public let name = CommandCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = CommandCameraConfiguration.self

    public init() {}
}
