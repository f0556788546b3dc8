public import CaptureModel

/// A capture of the spool, and what of it lies on the disk at this moment.
public struct SpoolHolding: Hashable, Sendable {
    public var report: CaptureReport
    /// Files of the report that are there in full, and their bytes.
    public var files: Int
    public var byteCount: Int64
    /// Whether its manifest and every file of the report are there in full. Somebody may have removed one by hand.
    public var isWhole: Bool
}
