public import CameraKit
public import CaptureModel

/// A camera as a session can use it, after AVFoundation's `AVCaptureDevice`. It is closed until a session runs.
public struct CaptureDevice: Sendable {
    /// What is known of it without opening it.
    public let description: DeviceDescription
    /// The device itself.
    public let camera: any Camera

    public var id: DeviceID { description.id }

    public init(description: DeviceDescription, camera: any Camera) {
        self.description = description
        self.camera = camera
    }

    /// Whether this process may open it, as things are; nothing is captured, and it always ends.
    public func authorization() async -> AuthorizationStatus {
        await camera.authorization()
    }

    /// What it offers: the level "supported". Opens the device for the moment it takes.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        try await camera.capabilities()
    }
}
