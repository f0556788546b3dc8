public import CaptureModel

/// A page of the captures in a node's spool, in order.
public struct InventoryPage: Hashable, Sendable {
    /// The capture after which the page begins; nil for the oldest.
    public var after: CaptureKey?
    public var captures: [CaptureReport]
    public var hasMore: Bool

    public init(after: CaptureKey?, captures: [CaptureReport], hasMore: Bool) {
        self.after = after
        self.captures = captures
        self.hasMore = hasMore
    }
}
