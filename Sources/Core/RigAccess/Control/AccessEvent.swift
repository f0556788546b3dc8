public import CaptureModel
public import RigSecurity

/// What happened to the keys of a rig, for its audit log. It contains no secret.
public enum AccessEvent: Equatable, Sendable {
    case invited(Invitation)
    case withdrawn(Invitation, by: Principal)
    case expired(Invitation)
    case admitted(KeyHolder, Admission)
    case requested(JoinRequest)
    case declined(JoinRequest, by: Principal)
    case revoked([KeyHolder], by: Principal)
    case renamed([KeyHolder], from: KeyName, by: Principal)
    /// The key of a holder has ended because another has replaced it.
    case replaced(KeyHolder, by: Principal)
    /// A link or a token was made, or the browser's session of a link.
    case sessionBegun(Session, by: Principal)
    case sessionEnded(Session, by: Principal)
    /// An event that was recorded did not happen, because the registry could not be stored.
    indirect case undone(AccessEvent, reason: String)
}
