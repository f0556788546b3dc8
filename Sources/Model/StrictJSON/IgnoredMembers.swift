/// Members of documents that their readers do not know and have ignored, counted so that somebody sees them.
public struct IgnoredMembers: Equatable, Sendable {
    /// How many there were, each occurrence counted. The members of a member that is ignored do not count.
    public private(set) var count = 0
    /// The path of the first one; nil if there was none.
    public private(set) var first: String?

    public init() {}

    mutating func note(_ path: String) {
        count += 1
        if first == nil { first = path }
    }
}
