/// Why a recording has ended.
public enum RecordingEnd: String, Hashable, Sendable, CaseIterable {
    /// Somebody stopped it.
    case stopped
    /// It is as long as it may be.
    case durationLimit
    /// It is as large as it may be.
    case sizeLimit
    /// The disk has less free than must stay.
    case diskNearlyFull
    /// A file could not be written; what was flushed before is there.
    case failed
}
