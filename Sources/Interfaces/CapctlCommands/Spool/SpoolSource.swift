internal import CaptureModel

/// The target of `capctl spool`: the nodes of a coordinator, or the folder of a spool.
protocol SpoolSource {
    /// All intact and damaged captures, oldest shot first.
    func list() async throws -> SpoolContent
    /// Permanently removes captures.
    /// - Returns: The captures that existed and were removed.
    func discard(_ captures: [SpooledCapture]) async throws -> [SpooledCapture]
}
