public import CameraKit
public import CaptureModel

/// A microphone made of software: it hears faint noise and, at every whole second of the scene's time, the mark of
/// `docs/virtual-microphone.md`, and it fails on request. For demos, tests, and trying a rig before buying it.
///
/// Usable from any thread. Nothing blocks.
public final class VirtualMicrophone: Microphone {
    private let device: VirtualMicrophoneDevice

    /// - Parameters:
    ///   - name: What errors call it.
    ///   - configuration: See ``VirtualMicrophoneConfiguration/problems``; ``start(_:clock:)`` refuses an unsound one.
    public init(name: String, configuration: VirtualMicrophoneConfiguration = VirtualMicrophoneConfiguration()) {
        device = VirtualMicrophoneDevice(name: name, configuration: configuration)
    }

    /// The faults that last or are still to come, to be changed while it runs. Those of the configuration are in it.
    public var faults: VirtualFaults { device.faults }

    public var identityDescription: String? { nil }

    /// Opens the microphone; returns at once. It is free again when the stream ends, by ``MicrophoneStream/stop()``, by a
    /// fault, or by dropping the stream.
    public func start(
        _ request: AudioFormatRequest, clock: any TimeSource
    ) async throws(CameraError) -> any MicrophoneStream {
        let format = try device.format(request)
        let opened = try device.open(clock: clock)
        return VirtualMicrophoneStream(device, format, opened: opened, clock: clock)
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
}
