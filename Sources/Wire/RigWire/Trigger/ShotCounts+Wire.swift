package import CaptureModel
package import RigProtocol

extension ShotCounts {
    package var wire: WireShotCounts {
        func names(_ counts: [Shot.Status: UInt64]) -> [String: UInt64] {
            Dictionary(counts.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        var wire = WireShotCounts()
        wire.settledShots = names(settledShots)
        wire.settledTakes = names(settledTakes)
        wire.skewBoundsNs = skews.bounds
        wire.skewCounts = skews.counts
        wire.skewSumNs = skews.sum
        wire.deletedShots = Dictionary(deleted.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        return wire
    }

    /// A status or reason that this version does not know is left out.
    package init(wire: WireShotCounts) throws(WireError) {
        let reader = FieldReader("ShotCounts")
        func counts(_ names: [String: UInt64]) -> [Shot.Status: UInt64] {
            Dictionary(
                names.compactMap { name, count in Shot.Status(rawValue: name).map { ($0, count) } },
                uniquingKeysWith: { first, _ in first })
        }
        let bounds = try reader.list(wire.skewBoundsNs, "skew_bounds_ns", limit: WireLimits.histogramBins)
        self.init(
            settledShots: counts(wire.settledShots), settledTakes: counts(wire.settledTakes),
            deleted: Dictionary(
                wire.deletedShots.compactMap { name, count in ShotDeletion.Reason(rawValue: name).map { ($0, count) } },
                uniquingKeysWith: { first, _ in first }),
            skews: try reader.present(
                SkewHistogram(bounds: bounds, counts: wire.skewCounts, sum: wire.skewSumNs), "skew_counts"))
    }
}
