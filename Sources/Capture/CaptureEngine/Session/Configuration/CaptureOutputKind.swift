/// What a session's frames can be used for. Each kind is at most once in a session; what hangs on it (a subscriber, a
/// capture) comes and goes without reconfiguring.
public enum CaptureOutputKind: String, Hashable, Codable, Sendable, CaseIterable {
    /// Stills: ``PhotoOutput``.
    case photo
    /// Scaled pictures for people.
    case preview
    /// Full or scaled frames for programs.
    case videoData
}
