/// Whether a camera runs while nothing needs it.
public enum StandbyPolicy: String, Hashable, Codable, Sendable, CaseIterable {
    /// It runs as long as its session serves, so that a shot can be taken, and reach back, at any time.
    case always
    /// It runs while something needs it: somebody has started it, or looks at its picture. Until then it is closed, and
    /// shots are refused before T with that reason.
    case onDemand
}
