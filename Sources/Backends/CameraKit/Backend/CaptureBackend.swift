import CaptureModel
public import PosixSupport
public import RigConfiguration

/// A kind of cameras or microphones: how a configuration names a device, how devices are found on this machine, how a
/// new one is announced, and how one is opened.
///
/// A device reports its identity and whether it may be opened: ``Camera/identityDescription``,
/// ``Camera/authorization()``. A program has a list of backends, and only that list names all of them.
public protocol CaptureBackend: Sendable {
    /// The key of its sources in a configuration, and the `driver` of its devices in the rig: `v4l2`.
    var name: String { get }

    /// The source type for its cameras in a configuration; nil if it has no cameras.
    var cameras: (any CameraSource.Type)? { get }

    /// The source type for its microphones in a configuration; nil if it has no microphones.
    var microphones: (any MicrophoneSource.Type)? { get }

    /// Returns the devices of this machine; nil if there are none to discover.
    /// - Throws: ``CameraError`` if discovery fails.
    func discover() async throws(CameraError) -> Discovery?

    /// Returns an element each time a device may have appeared, until the waiting task is cancelled; nil if nothing
    /// announces devices. One consumer.
    /// - Throws: ``PosixError`` if this machine cannot report device events.
    func arrivals() throws(PosixError) -> AsyncStream<Void>?
}

extension CaptureBackend {
    /// None.
    public var cameras: (any CameraSource.Type)? { nil }

    /// None.
    public var microphones: (any MicrophoneSource.Type)? { nil }

    /// Returns nil: there is nothing to discover.
    public func discover() async throws(CameraError) -> Discovery? { nil }

    /// Returns nil: nothing announces devices.
    public func arrivals() throws(PosixError) -> AsyncStream<Void>? { nil }
}

extension [any CaptureBackend] {
    /// The sources that a configuration may name.
    public var sources: SourceKinds {
        SourceKinds(
            cameras: compactMap { $0.cameras.map { $0 as any SourceConfiguration.Type } },
            microphones: compactMap { $0.microphones.map { $0 as any SourceConfiguration.Type } })
    }

    /// Returns the discoveries of all backends, in the order of the list.
    /// - Throws: ``CameraError`` if one discovery fails.
    public func discover() async throws(CameraError) -> [Discovery] {
        var found: [Discovery] = []
        for backend in self {
            if let discovery = try await backend.discover() { found.append(discovery) }
        }
        return found
    }
}

/// Reports to tasks that wait for a device that one has appeared, or may have, so that they need not wait for their
/// next attempt.
///
/// An arrival means only "try again". The waiting task identifies the device by starting its own. If the system
/// announces nothing, as in most containers, there are no arrivals, and the attempts at intervals remain.
///
/// If udev runs, a device causes two arrivals: when the kernel has created the node, and when udev has set its
/// permissions and links. `udevadm trigger` causes one too, so that a device is opened when a new rule permits it.
public final class DeviceArrivals: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var next = 0
    }

    private let state = Locked(State())

    public init() {}

    /// Returns later arrivals, for one consumer. A late consumer gets one arrival for all that it missed.
    public func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.next += 1
            state.listeners[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return stream
    }

    /// Passes on arrivals until the task is cancelled.
    public func follow(_ arrivals: AsyncStream<Void>) async {
        for await _ in arrivals { announce() }
    }

    /// Returns arrivals of devices that the kernel and udev announce, until the waiting task is cancelled. Keeps a
    /// thread named `devices` while the stream is held.
    /// - Parameter subsystem: The subsystem of the devices: `video4linux`.
    /// - Throws: ``PosixError`` if no socket or no thread can be created.
    public static func announced(bySubsystem subsystem: String) throws(PosixError) -> AsyncStream<Void> {
        let watch = try DeviceWatch(subsystems: [subsystem])
        return AsyncStream(unfolding: {
            for await event in watch.events where isArrival(event) { return () }
            return nil
        })
    }

    /// Notifies all listeners.
    public func announce() {
        let listeners = state.withLock { Array($0.listeners.values) }
        for listener in listeners { listener.yield() }
    }

    /// Returns whether an event counts as an arrival. `change` follows when permissions are granted.
    static func isArrival(_ event: DeviceEvent) -> Bool {
        event.name != nil && ["add", "change", "bind", "move", "online"].contains(event.action)
    }
}

/// The result of a backend's search on this machine.
public struct Discovery: Sendable {
    public var listings: [any DeviceListing]
    /// The sentence for people if there is none.
    public var absence: String

    public init(_ listings: [any DeviceListing], absence: String) {
        self.listings = listings
        self.absence = absence
    }
}

extension DeviceSource {
    func isNo(_ kind: String, _ name: DeviceName) -> CameraError {
        CameraError(
            .failed, device: name.rawValue, operation: "open",
            reason: "its source '\(key)' is not a \(kind); correct `source` in the configuration")
    }
}
