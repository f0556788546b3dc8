/// Why no DNG can be made of a frame.
public enum DNGError: Error, Hashable, Sendable {
    /// A side is outside 1...65535 pixels.
    case invalidSize(width: Int, height: Int)
    /// Samples of so many bits are not packed so.
    case unsupportedPacking(RawPacking, bits: Int)
    /// The frame has fewer bytes than its size needs.
    case truncated(needed: Int, given: Int)
    /// The file would be longer than the offsets of TIFF reach.
    case tooLarge(byteCount: Int)
    /// The preview is no JPEG.
    case invalidPreview(String)
}

extension DNGError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidSize(let width, let height):
            "A mosaic of \(width)x\(height) pixels has no DNG; sides are 1 to 65535."
        case .unsupportedPacking(let packing, let bits):
            "Samples of \(bits) bits are not packed as \(packing); bytes have 8 bits, words 9 to 16, MIPI 10, 12 or 14."
        case .truncated(let needed, let given):
            "The frame has \(given) bytes; its size and format need \(needed)."
        case .tooLarge(let byteCount):
            "A DNG of \(byteCount) bytes is longer than a TIFF file can be."
        case .invalidPreview(let reason):
            "The DNG's preview is no JPEG: \(reason)"
        }
    }
}
