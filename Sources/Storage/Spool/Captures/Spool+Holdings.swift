public import CaptureModel
internal import CaptureSystem
internal import PosixSupport

extension Spool {
    /// The same captures as ``inventory(after:limit:)``, each compared with the names and sizes on the disk. Blocks on the disk.
    /// - Throws: `inputOutput` where the folder cannot be read.
    public func holdings(
        after key: CaptureKey? = nil, limit: Int
    ) throws(CaptureProblem) -> (captures: [SpoolHolding], hasMore: Bool) {
        let entries = try captures.attempt { () throws(PosixError) in try captures.entries() }
        let sizes = Dictionary(
            entries.lazy.filter { $0.kind == .file }.map { ($0.name, $0.byteCount) },
            uniquingKeysWith: { first, _ in first })
        let page = inventory(after: key, limit: limit)
        return (page.captures.map { Self.holding($0, sizes) }, page.hasMore)
    }

    private static func holding(_ report: CaptureReport, _ sizes: [String: Int64]) -> SpoolHolding {
        let there = report.files.filter { sizes[SpoolNames.file(report.key, $0.kind)] == $0.byteCount }
        return SpoolHolding(
            report: report, files: there.count, byteCount: there.reduce(0) { $0 + $1.byteCount },
            isWhole: there.count == report.files.count && sizes[SpoolNames.manifest(report.key)] != nil)
    }
}
