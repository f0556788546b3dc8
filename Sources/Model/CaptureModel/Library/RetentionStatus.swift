/// What the retention of a library does, as its last pass found it.
public struct RetentionStatus: Hashable, Sendable {
    /// Why a shot that is due stays.
    public enum Obstacle: String, Hashable, Sendable, CaseIterable {
        /// No other complete copy is known, and the configuration does not say that only copies are deleted.
        case onlyCopy
        /// Somebody has given it a title or a note.
        case annotated
        /// It has no result yet, or a node still delivers files of it.
        case inProgress
        /// Its documents cannot be read, or it could not be deleted.
        case failed
    }

    /// The rule in words, such as `for 720 h, 50 GB free`.
    public var rule: String
    /// Wall clock at the end of the last pass, nanoseconds since 1970; nil before the first.
    public var checkedRealtimeNanoseconds: Int64?
    /// The shots that are due and stay, counted by why.
    public var heldBack: [Obstacle: UInt64]
    /// What an obstacle or failure was, of the oldest shot that stays; nil if none does.
    public var example: String?
    /// Bytes that the disk lacks to have those that `library.keep.free` wants; 0 if it has them.
    public var lackingBytes: Int64

    public init(
        rule: String, checkedRealtimeNanoseconds: Int64? = nil, heldBack: [Obstacle: UInt64] = [:],
        example: String? = nil, lackingBytes: Int64 = 0
    ) {
        self.rule = rule
        self.checkedRealtimeNanoseconds = checkedRealtimeNanoseconds
        self.heldBack = heldBack
        self.example = example
        self.lackingBytes = lackingBytes
    }
}
