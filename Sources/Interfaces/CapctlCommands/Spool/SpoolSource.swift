internal import CaptureModel

/// Where `capctl spool` works: the nodes of a coordinator, or the folder of a spool.
protocol SpoolSource {
    /// Everything that lies there, whole and damaged captures, oldest shot first.
    func list() async throws -> SpoolContent
    /// Removes captures for good.
    /// - Returns: Those that were there and are gone.
    func discard(_ captures: [SpooledCapture]) async throws -> [SpooledCapture]
}

/// What lies in spools.
struct SpoolContent: Equatable {
    var captures: [SpooledCapture] = []
    /// Why a node's spool is not among them: a sentence for each such node.
    var obstacles: [String] = []
}
