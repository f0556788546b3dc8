public import PosixSupport
public import RigConfiguration

/// One kind of cameras or microphones: how a configuration names a device, how one is found on this machine, what
/// announces one that is plugged in, and how one is opened.
///
/// A device says of itself who it is and whether it may be opened: ``Camera/identityDescription``,
/// ``Camera/authorization()``. A program has a list of backends; nothing but that list knows which there are.
public protocol CaptureBackend: Sendable {
    /// The key of its sources in a configuration, and the `driver` of its devices for the rig: `v4l2`.
    var name: String { get }

    /// How a configuration names a camera of it; nil where it has none.
    var cameras: (any CameraSource.Type)? { get }

    /// How a configuration names a microphone of it; nil where it has none.
    var microphones: (any MicrophoneSource.Type)? { get }

    /// The devices of this machine; nil where there is nothing to look for.
    /// - Throws: ``CameraError`` where it cannot be looked.
    func discover() async throws(CameraError) -> Discovery?

    /// An element for each time that a device of it may have appeared, until the task that waits is cancelled; nil where
    /// nothing announces them. One consumer.
    /// - Throws: ``PosixError`` where nothing can be heard on this machine.
    func arrivals() throws(PosixError) -> AsyncStream<Void>?
}

extension CaptureBackend {
    /// None.
    public var cameras: (any CameraSource.Type)? { nil }

    /// None.
    public var microphones: (any MicrophoneSource.Type)? { nil }

    /// Nothing to look for.
    public func discover() async throws(CameraError) -> Discovery? { nil }

    /// Nothing announces them.
    public func arrivals() throws(PosixError) -> AsyncStream<Void>? { nil }
}

extension [any CaptureBackend] {
    /// What a configuration may name.
    public var sources: SourceKinds {
        SourceKinds(
            cameras: compactMap { $0.cameras.map { $0 as any SourceConfiguration.Type } },
            microphones: compactMap { $0.microphones.map { $0 as any SourceConfiguration.Type } })
    }

    /// What each finds, in the order of the list.
    /// - Throws: ``CameraError`` where one cannot look.
    public func discover() async throws(CameraError) -> [Discovery] {
        var found: [Discovery] = []
        for backend in self {
            if let discovery = try await backend.discover() { found.append(discovery) }
        }
        return found
    }
}
