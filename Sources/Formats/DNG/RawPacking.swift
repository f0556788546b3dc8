/// How the samples of a mosaic lie in memory, as V4L2 knows it. Rows follow one another without unused bytes.
public enum RawPacking: Hashable, Sendable, CaseIterable {
    /// One byte each: 8 bits.
    case bytes
    /// Two bytes each, the lower first, the sample in the low bits: 9 to 16 bits.
    case words
    /// MIPI CSI-2 RAW10, RAW12 or RAW14: some samples' high 8 bits, then the low bits of all.
    case mipi

    /// Samples that share a group of bytes, and the bytes of it.
    /// - Returns: nil where samples of so many bits are not packed so.
    func group(bits: Int) -> (samples: Int, bytes: Int)? {
        switch (self, bits) {
        case (.bytes, 8): (1, 1)
        case (.words, 9...16): (1, 2)
        case (.mipi, 10): (4, 5)
        case (.mipi, 12): (2, 3)
        case (.mipi, 14): (4, 7)
        default: nil
        }
    }
}
