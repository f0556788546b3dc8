public import PosixSupport

/// How far the events of a journal's present epoch survive the end of the process.
public struct EventJournalProgress: Hashable, Sendable {
    /// Up to this number every event is in the kernel's hands, or was given up in favour of newer ones, but for what lies in
    /// ``lost``.
    public var sequence: UInt64
    /// From the first to the last event that was never written, since more waited for the disk than are kept. Others between
    /// them may have been written.
    public var lost: ClosedRange<UInt64>?
    /// Why the oldest event that waits for the disk could not be written; nil where none waits.
    public var problem: PosixError?
}
