import CDNG

/// Lossless JPEG (ITU-T T.81, process 14: SOF3) with predictor 1, as DNG readers expect it of a mosaic: where the width is
/// even, neighbouring columns are two components, so that samples are predicted from those of their own colour.
enum LosslessJPEG {
    /// - Returns: The image; nil where it has more than `limit` bytes.
    static func encode(_ mosaic: RawMosaic, limit: Int) -> [UInt8]? {
        let components = mosaic.width.isMultiple(of: 2) ? 2 : 1
        let categories = Int(CAPRIG_LOSSLESS_CATEGORIES)
        let frequencies = frequencies(of: mosaic, components)
        let code = HuffmanCode(frequencies: frequencies)
        let header = header(mosaic, components, code)
        let room = limit - header.count - 2
        guard room > 0 else { return nil }
        let (codes, lengths) = code.codes(count: categories)
        let data = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
            guard let start = target.baseAddress else { return }
            count = unsafe mosaic.samples.withUnsafeBufferPointer { samples in
                unsafe caprig_lossless_encode(
                    samples.baseAddress, mosaic.width, mosaic.height, components, UInt32(mosaic.bits), codes, lengths,
                    start, room)
            }
        }
        return data.isEmpty ? nil : header + data + [0xFF, 0xD9]
    }

    private static func frequencies(of mosaic: RawMosaic, _ components: Int) -> [UInt64] {
        var counts = [UInt64](repeating: 0, count: Int(CAPRIG_LOSSLESS_CATEGORIES))
        unsafe mosaic.samples.withUnsafeBufferPointer { samples in
            unsafe caprig_lossless_count(
                samples.baseAddress, mosaic.width, mosaic.height, components, UInt32(mosaic.bits), &counts)
        }
        return counts
    }

    /// SOI, SOF3, DHT and SOS.
    private static func header(_ mosaic: RawMosaic, _ components: Int, _ code: HuffmanCode) -> [UInt8] {
        let numbers = (1...components).map { UInt8($0) }
        var header: [UInt8] = [0xFF, 0xD8]
        let size = twoBytes(mosaic.height) + twoBytes(mosaic.width / components)
        header += segment(
            0xC3, [UInt8(mosaic.bits)] + size + [UInt8(components)] + numbers.flatMap { [$0, 0x11, 0] })
        // One table, number 0, for all components: that of a later component is taken from the first where it has none.
        header += segment(0xC4, [0] + code.lengthCounts + code.categories)
        // Predictor 1, no point transform.
        header += segment(0xDA, [UInt8(components)] + numbers.flatMap { [$0, 0] } + [1, 0, 0])
        return header
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker] + twoBytes(content.count + 2) + content
    }

    private static func twoBytes(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    }
}
