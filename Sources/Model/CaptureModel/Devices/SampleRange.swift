/// Which numbers luma and chroma samples take.
public enum SampleRange: String, Hashable, Codable, Sendable, CaseIterable {
    /// 0 to 255, as JPEG has it.
    case full
    /// Luma 16 to 235, chroma 16 to 240, as video has it; widened before it becomes JPEG.
    case limited
}
