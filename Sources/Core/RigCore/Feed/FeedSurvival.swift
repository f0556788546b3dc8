/// Up to which number the feed's events survive the coordinator's end: up to which nodes may be told to forget theirs.
///
/// | state | ``sequence`` | next |
/// |---|---|---|
/// | whole | as far as the journal has written | events are lost on their way to it → losing |
/// | losing | below the first lost one, whatever is written behind it | the journal has written behind the last lost one → over |
/// | over | as before, since nodes still have what was lost | ``takeLoss()`` → whole |
///
/// A value without clock. Numbers may be told again and in any order; the highest counts.
struct FeedSurvival: Sendable {
    private var written: UInt64 = 0
    /// From the first to the last lost event that has not been taken.
    private var lost: ClosedRange<UInt64>?
    /// Losses up to this number have been taken.
    private var lastTaken: UInt64 = 0

    /// Every event up to this number is in the journal, or was taken as lost.
    var sequence: UInt64 {
        lost.map { min(written, $0.lowerBound - 1) } ?? written
    }

    /// - Parameters:
    ///   - written: The journal has everything up to this number but what was lost.
    ///   - ranges: From the first to the last of all that were ever lost, of each place that loses.
    mutating func note(written: UInt64, lost ranges: [ClosedRange<UInt64>?]) {
        self.written = max(self.written, written)
        for range in ranges.compactMap(\.self) where range.upperBound > lastTaken {
            let first = max(range.lowerBound, lastTaken + 1)
            lost = min(first, lost?.lowerBound ?? first)...max(range.upperBound, lost?.upperBound ?? 0)
        }
    }

    /// What was lost, once the journal goes on behind it; from then on ``sequence`` counts it as done with.
    mutating func takeLoss() -> ClosedRange<UInt64>? {
        guard let found = lost, written > found.upperBound else { return nil }
        lastTaken = found.upperBound
        lost = nil
        return found
    }
}
