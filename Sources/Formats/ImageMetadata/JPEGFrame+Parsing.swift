extension JPEGFrame {
    /// Reads a SOF segment; nil when it contradicts the standard or leaves the height open.
    init?(_ segment: JPEGSegment, _ bytes: Span<UInt8>) {
        let start = segment.payload.lowerBound
        guard segment.payload.count >= 6 else { return nil }
        let count = Int(bytes[start + 5])
        guard (1...4).contains(count), segment.payload.count == 6 + 3 * count else { return nil }
        height = Int(bytes[start + 1]) << 8 | Int(bytes[start + 2])
        width = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        precision = Int(bytes[start])
        isProgressive = segment.marker == 0xC2
        components = (0..<count).map { Component(at: start + 6 + 3 * $0, in: bytes) }
        guard width > 0, height > 0, precision == 8 || precision == 12, components.allSatisfy(\.isValid) else {
            return nil
        }
    }
}

extension JPEGFrame.Component {
    fileprivate init(at offset: Int, in bytes: Span<UInt8>) {
        identifier = bytes[offset]
        horizontalSampling = Int(bytes[offset + 1] >> 4)
        verticalSampling = Int(bytes[offset + 1] & 15)
        quantizationTable = Int(bytes[offset + 2])
    }

    fileprivate var isValid: Bool {
        (1...4).contains(horizontalSampling) && (1...4).contains(verticalSampling) && quantizationTable < 4
    }
}
