/// The value below which a share of all values lies, by the nearest-rank method: always one of the values.
enum Percentile {
    /// - Parameter percent: 1 to 100.
    /// - Returns: nil where there is no value.
    static func of(_ values: [Duration], _ percent: Int) -> Duration? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let rank = (percent * sorted.count + 99) / 100
        return sorted[min(max(rank, 1), sorted.count) - 1]
    }
}
