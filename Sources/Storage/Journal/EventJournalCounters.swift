/// What became of a journal's events since it was opened.
public struct EventJournalCounters: Hashable, Codable, Sendable {
    /// Appended in this epoch.
    public var appended: UInt64 = 0
    /// Taken over unacknowledged from earlier epochs.
    public var recovered: UInt64 = 0
    /// Removed because they were acknowledged.
    public var acknowledged: UInt64 = 0
    /// Dropped unacknowledged because the journal was full, oldest first.
    public var dropped: UInt64 = 0
    /// Could not be written when they were appended: lost if the process ends before they are acknowledged, or written
    /// before a later one.
    public var unpersisted: UInt64 = 0
    /// Places in the files that are no whole record, skipped when the journal was opened.
    public var damaged: UInt64 = 0

    public init() {}
}
