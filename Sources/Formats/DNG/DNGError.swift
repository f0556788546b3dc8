import CDNG

/// Why no DNG can be made from a frame.
public enum DNGError: Error, Hashable, Sendable {
    /// A side is outside 1...65535 pixels.
    case invalidSize(width: Int, height: Int)
    /// The packing does not support samples of this number of bits.
    case unsupportedPacking(RawPacking, bits: Int)
    /// The frame has fewer bytes than its size needs.
    case truncated(needed: Int, given: Int)
    /// The file would be longer than TIFF offsets can reach.
    case tooLarge(byteCount: Int)
    /// The preview is not a JPEG.
    case invalidPreview(String)
}

extension DNGError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidSize(let width, let height):
            "A mosaic of \(width)x\(height) pixels cannot be a DNG; sides must be 1 to 65535."
        case .unsupportedPacking(let packing, let bits):
            "Samples of \(bits) bits are not packed as \(packing); bytes have 8 bits, words 9 to 16, MIPI 10, 12 or 14."
        case .truncated(let needed, let given):
            "The frame has \(given) bytes; its size and format need \(needed)."
        case .tooLarge(let byteCount):
            "A DNG of \(byteCount) bytes is longer than a TIFF file can be."
        case .invalidPreview(let reason):
            "The DNG's preview is not a JPEG: \(reason)"
        }
    }
}
