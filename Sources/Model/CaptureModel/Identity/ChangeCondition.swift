/// What must hold of something for a change of it to be carried out: that nobody has changed it since its requester read it.
///
/// The component that owns what changes compares and changes in one step. Each version is a digest of all that a requester was shown, and
/// differs whenever that does.
public struct ChangeCondition: Hashable, Sendable {
    /// The most versions of a condition.
    public static let limit = 16

    /// The present version must be one of these. Without any, the condition never holds.
    public var versions: [ContentDigest]

    public init(_ versions: [ContentDigest]) {
        self.versions = versions
    }

    public func holds(for version: ContentDigest) -> Bool { versions.contains(version) }
}
