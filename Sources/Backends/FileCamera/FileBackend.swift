public import CameraKit

/// Cameras that play recorded images. There is none to find: a configuration names the recording.
public struct FileBackend: CaptureBackend {
    public let name = FileCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = FileCameraConfiguration.self

    public init() {}
}
