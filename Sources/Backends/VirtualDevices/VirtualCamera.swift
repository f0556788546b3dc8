public import CameraKit
public import CaptureModel

/// A camera made of software: it delivers MJPEG of a moving scene at any size and rate, or what a sensor with a Bayer mosaic
/// would deliver of it, with a time code in the pixels, and fails on request. For demos, tests, and trying a rig before buying it.
///
/// Usable from any thread. A frame costs a fraction of a millisecond of the cooperative pool; nothing blocks.
public final class VirtualCamera: Camera {
    private let device: VirtualDevice

    /// - Parameters:
    ///   - name: What errors call it.
    ///   - configuration: See ``VirtualCameraConfiguration/problems``; ``start(_:clock:)`` refuses an unsound one.
    public init(name: String, configuration: VirtualCameraConfiguration = VirtualCameraConfiguration()) {
        device = VirtualDevice(name: name, configuration: configuration)
    }

    /// The faults that last or are still to come, to be changed while it runs. Those of the configuration are in it.
    public var faults: VirtualFaults { device.faults }

    /// The settings as they are.
    public var configuration: VirtualCameraConfiguration { device.configuration }

    /// Changes settings while it runs: timing, exposure, gain and stamp bound take effect with the next frame planned, the
    /// rest with the next start. Its `faults` have no effect here: use ``faults``.
    /// - Throws: ``CameraError`` of code `failed` where the result is unsound; nothing is changed then.
    public func reconfigure(_ change: (inout VirtualCameraConfiguration) -> Void) throws(CameraError) {
        try device.reconfigure(change)
    }

    /// Opens the camera and starts the exposures.
    ///
    /// Returns at once; the first frame follows after `startDelayMilliseconds`, exposure and readout. The stream can be
    /// started again when it has ended, by ``CameraStream/stop()``, by a fault, or by dropping the stream.
    public func start(
        _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        try await start(.main, request, clock: clock)
    }

    /// As ``start(_:clock:)``. Faults that strike frames strike those of the main stream.
    public func start(
        _ stream: StreamName, _ request: FormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any CameraStream {
        let offered = device.configuration.streams
        guard offered.contains(stream) else {
            throw CameraError(noStream: stream, among: offered, device: device.name)
        }
        let opened = try device.open(stream, clock: clock)
        do throws(CameraError) {
            let agreed = try VirtualFormat(request, for: stream, of: device)
            return VirtualCameraStream(device, agreed, opened: opened, clock: clock)
        } catch {
            device.release(stream)
            throw error
        }
    }

    public func streams() async throws(CameraError) -> [StreamOffer] {
        if let obstacle = device.obstacle { throw obstacle }
        let configuration = device.configuration
        return configuration.streams.map { StreamOffer($0, formats: VirtualFormat.offers(configuration, $0)) }
    }

    /// `denied` while that fault lasts, `notDetermined` while it is unplugged.
    public func authorization() async -> AuthorizationStatus {
        switch device.obstacle?.code {
        case .denied: .denied
        case .absent: .notDetermined
        default: .authorized
        }
    }

    public func authorizationRemedy() async -> String? { device.obstacle?.reason }

    public func capabilities() async throws(CameraError) -> DeviceCapabilities {
        if let obstacle = device.obstacle { throw obstacle }
        return DeviceCapabilities(formats: VirtualFormat.offers(device.configuration, .main), controls: device.controls)
    }
}
