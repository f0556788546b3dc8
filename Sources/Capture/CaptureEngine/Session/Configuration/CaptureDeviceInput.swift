public import CameraKit
public import CaptureModel

/// A device as the input of a session, with its requested format; after AVFoundation's `AVCaptureDeviceInput`.
public struct CaptureDeviceInput: Sendable {
    public let device: CaptureDevice
    /// The format under the preset `inputPriority`.
    public var format: FormatRequest
    /// How large stills may be beyond the stream's frames; nil if larger ones are not enabled.
    public var maxPhotoDimensions: MaxPhotoDimensions?
    /// The use of the device's raw mosaic, or of the raw files that it makes itself, if it has either.
    public var raw: RawSettings

    public init(
        device: CaptureDevice, format: FormatRequest = FormatRequest(), maxPhotoDimensions: MaxPhotoDimensions? = nil,
        raw: RawSettings = RawSettings()
    ) {
        self.device = device
        self.format = format
        self.maxPhotoDimensions = maxPhotoDimensions
        self.raw = raw
    }
}

extension CaptureDeviceInput {
    /// Returns the format to request from the device under a preset. This may require asking the device what it offers.
    func resolvedFormat(_ preset: SessionPreset) async throws(CameraError) -> FormatRequest {
        if preset == .inputPriority { return format }
        let offers = try await device.camera.capabilities().formats
        guard let resolved = FormatResolution.resolve(preset, wish: format, offers: offers) else {
            throw CameraError(
                .unsupportedFormat, device: device.id.description, operation: "resolve the preset",
                reason: "it offers no format for '\(preset.rawValue)'; choose another preset, or a format")
        }
        return resolved
    }
}

/// The input that feeds an output, and how the picture is to be rotated and mirrored; after AVFoundation's
/// `AVCaptureConnection`.
public struct CaptureConnection: Hashable, Sendable {
    /// The device of the input.
    public let input: DeviceID
    public let output: CaptureOutputKind
    /// Whether frames pass through it. An output with a disabled connection gets no frames.
    public var isEnabled: Bool
    /// Clockwise rotation that makes the picture upright. The connections of one input share one orientation, so that
    /// the preview matches the photo.
    public var orientation: Orientation
    /// Whether left and right are exchanged after the picture is upright. Shared like the orientation.
    public var isVideoMirrored: Bool

    public init(
        input: DeviceID, output: CaptureOutputKind, isEnabled: Bool = true, orientation: Orientation,
        isVideoMirrored: Bool = false
    ) {
        self.input = input
        self.output = output
        self.isEnabled = isEnabled
        self.orientation = orientation
        self.isVideoMirrored = isVideoMirrored
    }
}

/// A camera as a session can use it, after AVFoundation's `AVCaptureDevice`. It is closed until a session runs.
public struct CaptureDevice: Sendable {
    /// The description that is known without opening it.
    public let description: DeviceDescription
    /// The device itself.
    public let camera: any Camera

    public var id: DeviceID { description.id }

    public init(description: DeviceDescription, camera: any Camera) {
        self.description = description
        self.camera = camera
    }

    /// Returns whether this process may open it at present. Nothing is captured, and the call always ends.
    public func authorization() async -> AuthorizationStatus {
        await camera.authorization()
    }

    /// Returns what it offers: the level "supported". Opens the device for the duration of the call.
    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        try await camera.capabilities()
    }
}

/// A use of a session's frames. A session has each kind at most once. Its clients (a subscriber, a capture) come and go
/// without reconfiguring.
public enum CaptureOutputKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Stills: ``PhotoOutput``.
    case photo
    /// Scaled pictures for people.
    case preview
    /// Full or scaled frames for programs.
    case videoData
}
