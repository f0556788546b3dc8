public import CameraKit

/// Network cameras that speak RTSP. None are discovered: a configuration names the address.
public struct RTSPBackend: CaptureBackend {
    public let name = RTSPCameraConfiguration.key
    public let cameras: (any CameraSource.Type)? = RTSPCameraConfiguration.self

    public init() {}
}
