/// A range of pixel counts in equal steps. Both ends are equal for a single count.
public struct PixelRange: Hashable, Codable, Sendable {
    public var smallest: Int
    public var largest: Int
    /// At least 1.
    public var step: Int

    public init(_ smallest: Int, _ largest: Int, step: Int = 1) {
        self.smallest = smallest
        self.largest = largest
        self.step = max(step, 1)
    }
}

/// The range of luma and chroma samples.
public enum SampleRange: String, Hashable, Codable, Sendable, CaseIterable {
    /// 0 to 255, as in JPEG.
    case full
    /// Luma 16 to 235, chroma 16 to 240, as in video; expanded before encoding as JPEG.
    case limited
}
