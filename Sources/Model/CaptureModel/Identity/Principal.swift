/// The originator of a command or query. Every command and query carries one.
public struct Principal: Hashable, Sendable {
    /// The name of the originator, such as `anna@studio-1`; at most ``longestName`` bytes of UTF-8.
    public let name: String
    /// Whether a key has proved the name. Otherwise, the name is only the client's claim.
    public let isAuthenticated: Bool

    public static let longestName = 128

    /// A client that does not give a name.
    public static let unnamed = Principal("unnamed", isAuthenticated: false)

    /// The coordinator itself.
    public static let coordinator = Principal("coordinator", isAuthenticated: true)

    private init(_ name: String, isAuthenticated: Bool) {
        self.name = name
        self.isAuthenticated = isAuthenticated
    }

    /// Creates the principal of a client that gives its name without proof.
    /// - Returns: nil if the name is empty, too long, or has characters that a log line cannot carry.
    public init?(claimed name: String) {
        guard !name.hasUnprintable else { return nil }
        self.init(recorded: name, isAuthenticated: false)
    }

    /// Creates the principal that a document of this rig names, such as a shot's manifest.
    /// - Returns: nil if the name is not valid for a principal.
    public init?(recorded name: String, isAuthenticated: Bool) {
        guard !name.isEmpty, name.utf8.count <= Self.longestName,
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(name, isAuthenticated: isAuthenticated)
    }
}
