/// What checking found of one file of a shot.
public struct VerifyFinding: Hashable, Codable, Sendable {
    public enum State: String, Hashable, Codable, Sendable, CaseIterable {
        /// The bytes are those the manifest names.
        case ok
        /// The manifest says that it is stored, and it is not there.
        case missing
        /// It has other bytes than the manifest names.
        case altered
        /// It is there, and the manifest does not say that it is stored.
        case stray
        /// It could not be read.
        case unreadable
        /// It arrived with other bytes than its node had announced, and was put aside.
        case quarantined
    }

    /// Path inside the shot's folder.
    public var path: String
    public var state: State
    /// A sentence that says what differs; nil when ok.
    public var detail: String?

    public init(path: String, state: State, detail: String? = nil) {
        self.path = path
        self.state = state
        self.detail = detail
    }
}
