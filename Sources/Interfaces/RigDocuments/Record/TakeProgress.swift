public import CaptureModel
public import RigClient

/// A take under way, with what its cameras have recorded.
public struct TakeProgress: Sendable {
    public var take: OpenTake
    /// From T to now, or to the end that was requested.
    public var elapsed: Duration
    /// In the order of the devices.
    public var recordings: [Recording]

    /// What one camera has recorded.
    public struct Recording: Sendable {
        public var device: DeviceID
        public var progress: RecordingProgress
    }

    /// The takes under way of a rig, in order of id.
    /// - Parameter devices: The devices of the rig.
    public static func all(_ status: RigStatus, devices: [DeviceStatus]) -> [TakeProgress] {
        status.takes.map { take in
            TakeProgress(
                take: take, elapsed: max(.zero, min(take.stopTime ?? status.now, status.now) - take.time),
                recordings: devices.compactMap { recording($0, of: take.id) })
        }
    }

    private static func recording(_ status: DeviceStatus, of take: ShotID) -> Recording? {
        guard let progress = status.condition.session?.recording, progress.take == take else { return nil }
        return Recording(device: status.device.id, progress: progress)
    }
}
