/// A number of bytes, written with a unit: `512 MiB`, `2 GB`.
public struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Never negative.
    public let bytes: Int64

    /// Creates a count; negative numbers become 0.
    public init(_ bytes: Int64) {
        self.bytes = max(bytes, 0)
    }

    /// Parses a number with its unit, such as `1.5 GiB`; nil if the text is malformed or negative.
    public init?(text: String) {
        let bytes = try? ScaledUnit.value(of: text, in: Self.units, example: "2 GB")
        guard let bytes, bytes >= 0 else { return nil }
        self.bytes = bytes
    }

    /// Returns `count` × 1024 × 1024 bytes; saturates.
    public static func mebibytes(_ count: Int64) -> ByteCount {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: 1 << 20)
        return ByteCount(overflow ? .max : bytes)
    }

    public static func < (left: Self, right: Self) -> Bool { left.bytes < right.bytes }

    static let units: [ScaledUnit] = [
        ScaledUnit("TiB", 1 << 40), ScaledUnit("TB", 1_000_000_000_000), ScaledUnit("GiB", 1 << 30),
        ScaledUnit("GB", 1_000_000_000), ScaledUnit("MiB", 1 << 20), ScaledUnit("MB", 1_000_000),
        ScaledUnit("KiB", 1 << 10), ScaledUnit("kB", 1000), ScaledUnit("B", 1),
    ]

    /// The count in the largest unit that needs no fraction.
    public var description: String { ScaledUnit.text(of: bytes, in: Self.units) }
}
