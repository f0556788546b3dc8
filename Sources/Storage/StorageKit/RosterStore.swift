public import CaptureModel

/// Stores the devices of a rig. A device stays part of the rig while it is absent.
public protocol RosterStore: Sendable {
    /// Returns the devices that were stored last; empty if none were ever stored.
    /// - Throws: `corrupted` if the stored data cannot be read as a roster, since a rig must not forget its cameras silently;
    ///   `inputOutput`.
    func devices() async throws(StorageError) -> [DeviceDescription]

    /// Replaces the stored devices with these. Durable on return, and atomic.
    /// - Throws: `noSpace`, `inputOutput`: either the previous devices or these are stored.
    func replace(with devices: [DeviceDescription]) async throws(StorageError)
}
