public import CameraKit
import CaptureEngine
public import CaptureModel
public import RigConfiguration

/// What can be told of a configured camera without starting it.
public struct CameraSurvey: Hashable, Sendable {
    public var name: DeviceName
    /// Whether this process may open it.
    public var authorization: AuthorizationStatus
    /// What to do if it may not, or if there is no such camera: a sentence; nil if nothing is known.
    public var remedy: String?
    /// The USB bus that it is plugged into; nil if it is absent or not on USB.
    public var bus: SessionCost.USBBus?
    /// The bytes per second of its stream; nil if its configuration leaves the format to the camera.
    public var streamBytesPerSecond: Int64?
    /// Whether captures may have clips, for which the node encodes movies.
    public var hasClips: Bool
    /// Whether captures may have raw files, with pictures that the node develops.
    public var developsRaw: Bool

    /// Asks the camera of a configuration. It is not started, and may be in use.
    /// - Throws: ``CameraError`` if its source is not a camera.
    public init(of device: DeviceConfiguration) async throws(CameraError) {
        let camera = try device.makeCamera()
        name = device.name
        authorization = await camera.authorization()
        remedy = authorization == .authorized ? nil : await camera.authorizationRemedy()
        bus = await camera.usbPort().map(SessionCost.USBBus.init)
        streamBytesPerSecond = SessionCostEstimate.plannedFormat(for: await Self.request(device, camera))
            .map(SessionCostEstimate.streamBytesPerSecond)
        hasClips = device.live
        developsRaw = device.raw.isEnabled ? await Self.mayDeliverMosaic(camera) : false
    }

    /// Whether a camera offers its sensor's mosaic, as far as it says what it offers. One that makes raw files itself does not.
    private static func mayDeliverMosaic(_ camera: any Camera) async -> Bool {
        guard let offers = try? await camera.capabilities().formats, !offers.isEmpty else { return true }
        return offers.contains { $0.pixelFormat.family.isMosaic }
    }

    /// A preset is resolved by what the camera offers; without its answer, by what is configured.
    private static func request(_ device: DeviceConfiguration, _ camera: any Camera) async -> FormatRequest {
        let wish = device.formatRequest
        guard device.preset != .inputPriority, let offers = try? await camera.capabilities().formats else {
            return wish
        }
        return FormatResolution.resolve(device.preset, wish: wish, offers: offers) ?? wish
    }
}

extension AgentConfiguration {
    /// Asks each enabled camera, in the order of the configuration.
    public func surveyCameras() async throws(CameraError) -> [CameraSurvey] {
        var surveys: [CameraSurvey] = []
        for device in devices where device.enabled { surveys.append(try await CameraSurvey(of: device)) }
        return surveys
    }
}
