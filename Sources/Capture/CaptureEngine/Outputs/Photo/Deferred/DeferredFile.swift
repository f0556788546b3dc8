public import CaptureModel

/// A file of a capture that was made, or given up, long after the capture.
public struct DeferredFile: Sendable {
    /// The capture with it, or without it and with the reason.
    public var report: CaptureReport
    public var kind: AssetKind

    /// The file; nil where there is none.
    public var file: SpooledFile? { report.files.first { $0.kind == kind } }
    /// Why there is none, or it is less than what was asked for.
    public var problem: CaptureProblem? {
        file?.shortfall ?? report.failed.first { $0.kind == kind }?.problem
    }
}
