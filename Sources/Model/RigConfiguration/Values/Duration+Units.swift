import CaptureModel

extension Duration {
    static let units: [ScaledUnit] = [
        ScaledUnit("h", 3_600_000_000_000), ScaledUnit("min", 60_000_000_000), ScaledUnit("s", 1_000_000_000),
        ScaledUnit("ms", 1_000_000), ScaledUnit("us", 1000), ScaledUnit("µs", 1000), ScaledUnit("ns", 1),
    ]

    /// The duration in seconds or the largest smaller unit that needs no fraction, as a configuration writes it.
    var configurationText: String {
        self == .zero
            ? "0 ms"
            : ScaledUnit.text(of: nanoseconds, in: Self.units.filter { ["s", "ms", "us", "ns"].contains($0.symbol) })
    }
}
