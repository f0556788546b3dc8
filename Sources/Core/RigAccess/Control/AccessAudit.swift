/// Records what happens to keys.
public protocol AccessAudit: Sendable {
    /// Records an event. Durable on return.
    /// - Throws: Why it is not durable, as a sentence that says what to do.
    func commit(_ event: AccessEvent) async throws(AuditRefusal)

    /// Records an event soon. Never waits.
    func record(_ event: AccessEvent)
}
