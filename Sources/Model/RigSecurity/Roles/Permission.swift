/// What a holder of a key may do. Each request to the rig needs one permission.
public enum Permission: String, Hashable, Codable, Sendable, CaseIterable {
    /// See state, events and live pictures.
    case view
    /// Read stored files.
    case read
    /// Add captures of its own without reading the library, as in PhotoKit's add-only access.
    case add
    /// Trigger shots and takes of the rig's cameras.
    case trigger
    /// Change sessions, controls, spool and roster.
    case configure
    /// Manage keys, invitations and the audit log.
    case admin
}
