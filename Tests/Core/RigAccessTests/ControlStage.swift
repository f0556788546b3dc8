import CaptureModel
import CaptureTestSupport
import RigAccess
import RigSecurity
import RigTestSupport

/// The keys of a rig whose disk and audit log a test makes fail or hang.
struct ControlStage {
    let store = MemoryKeys()
    let audit = MemoryAudit()
    let clock = ManualTimeSource()

    func control(_ change: (inout KeyRegistry.Limits) -> Void = { _ in }) async throws -> AccessControl {
        var limits = KeyRegistry.Limits()
        change(&limits)
        return try await AccessControl(store: store, audit: audit, clock: clock, limits: limits)
    }

    /// The keys that a coordinator would have after a crash now.
    func storedKeys() async throws -> [String] {
        try await store.read().map { try KeyRegistryDocument.decode($0).keys.map(\.holder.name.rawValue) } ?? []
    }
}
