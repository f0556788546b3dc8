public import RigSecurity

/// The result of admitting a key.
public enum AdmissionOutcome: Hashable, Sendable {
    case admitted(KeyHolder)
    /// The key was admitted before with the same right, and nothing changed.
    case repeated(KeyHolder)

    public var holder: KeyHolder {
        switch self {
        case .admitted(let holder), .repeated(let holder): holder
        }
    }
}

/// The answer to a request for approval.
public enum RequestOutcome: Hashable, Sendable {
    /// An admin has not answered yet; the machine shows the fingerprint and asks again.
    case waiting(JoinRequest)
    /// The key is admitted, by the approval or before.
    case admitted(KeyHolder)
}
