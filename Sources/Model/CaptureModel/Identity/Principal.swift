/// Who asks the rig for something. Every command and query carries one.
public struct Principal: Hashable, Sendable {
    /// What the rig calls who asks, such as `anna@studio-1`; at most ``longestName`` bytes of UTF-8.
    public let name: String
    /// Whether a key has proved the name. Without one, the name is only what the client says of itself.
    public let isAuthenticated: Bool

    public static let longestName = 128

    /// A client that does not say who it is.
    public static let unnamed = Principal("unnamed", isAuthenticated: false)

    /// The coordinator itself.
    public static let coordinator = Principal("coordinator", isAuthenticated: true)

    private init(_ name: String, isAuthenticated: Bool) {
        self.name = name
        self.isAuthenticated = isAuthenticated
    }

    /// A client that says its name and proves it by nothing.
    /// - Returns: nil where the name is empty, too long, or has characters that a log line cannot carry.
    public init?(claimed name: String) {
        self.init(recorded: name, isAuthenticated: false)
    }

    /// Who a document of this rig names, such as a shot's manifest.
    /// - Returns: nil where the name is none that a principal has.
    public init?(recorded name: String, isAuthenticated: Bool) {
        guard !name.isEmpty, name.utf8.count <= Self.longestName,
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(name, isAuthenticated: isAuthenticated)
    }
}
