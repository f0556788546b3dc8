/// A profile, and which version of it.
public struct ProfileReference: Hashable, Sendable, CustomStringConvertible {
    public var name: ProfileName
    /// From 1; nil for the newest.
    public var version: Int?

    public init(_ name: ProfileName, version: Int? = nil) {
        self.name = name
        self.version = version
    }

    /// Reads `NAME` or `NAME@VERSION`.
    public init?(_ text: String) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let name = ProfileName(parts[0]) else { return nil }
        self.init(name)
        guard parts.count == 2 else { return }
        let isNumber = parts[1].utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, let version = Int(parts[1]), (1...Int(Int32.max)).contains(version) else { return nil }
        self.version = version
    }

    public var description: String { version.map { "\(name)@\($0)" } ?? "\(name)" }
}
