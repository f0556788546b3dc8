import CDNG

/// Lossless JPEG (ITU-T T.81, process 14: SOF3) with predictor 1, as DNG readers expect it for a mosaic. If the width
/// is even, neighboring columns are two components, so that samples are predicted from those of their color.
enum LosslessJPEG {
    /// - Returns: The image; nil if it has more than `limit` bytes.
    static func encode(_ mosaic: RawMosaic, limit: Int) -> [UInt8]? {
        let components = mosaic.width.isMultiple(of: 2) ? 2 : 1
        let categories = Int(CAPRIG_LOSSLESS_CATEGORIES)
        let frequencies = frequencies(of: mosaic, components)
        let code = OptimalHuffmanCode(frequencies: frequencies)
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
    private static func header(_ mosaic: RawMosaic, _ components: Int, _ code: OptimalHuffmanCode) -> [UInt8] {
        let numbers = (1...components).map { UInt8($0) }
        var header: [UInt8] = [0xFF, 0xD8]
        let size = twoBytes(mosaic.height) + twoBytes(mosaic.width / components)
        header += segment(
            0xC3, [UInt8(mosaic.bits)] + size + [UInt8(components)] + numbers.flatMap { [$0, 0x11, 0] })
        // One table, number 0, for all components.
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

/// The shortest prefix code for categories of differences with known frequencies (ITU-T T.81, K.2).
struct OptimalHuffmanCode {
    /// The number of codes of each length, 1 to 16 bits.
    let lengthCounts: [UInt8]
    /// The categories, in order of code length.
    let categories: [UInt8]

    private static let longest = 16

    /// - Parameter frequencies: The number of occurrences of each category.
    init(frequencies: [UInt64]) {
        let lengths = Self.unlimitedLengths(frequencies)
        lengthCounts = Self.limited(lengths).map { UInt8(clamping: $0) }
        categories = frequencies.indices.filter { frequencies[$0] > 0 }
            .sorted { (lengths[$0], $0) < (lengths[$1], $1) }.map { UInt8(clamping: $0) }
    }

    /// Returns code and length of each category; zero for those that do not occur.
    func codes(count: Int) -> (codes: [UInt16], lengths: [UInt8]) {
        var (codes, lengths) = ([UInt16](repeating: 0, count: count), [UInt8](repeating: 0, count: count))
        var (code, place) = (UInt16(0), 0)
        for (index, number) in lengthCounts.enumerated() {
            for category in categories[place..<place + Int(number)] {
                codes[Int(category)] = code
                lengths[Int(category)] = UInt8(index + 1)
                code &+= 1
            }
            place += Int(number)
            code <<= 1
        }
        return (codes, lengths)
    }

    /// Returns Huffman's code lengths. The last is that of a symbol that never occurs. It gets one of the longest
    /// codes, the all-ones code that T.81 forbids.
    private static func unlimitedLengths(_ frequencies: [UInt64]) -> [Int] {
        let weights = frequencies + [0]
        var lengths = [Int](repeating: 0, count: weights.count)
        var groups = weights.indices.filter { weights[$0] > 0 || $0 == frequencies.count }
            .map { (weight: weights[$0], members: [$0]) }
        while groups.count > 1 {
            groups.sort { $0.weight > $1.weight }
            let (first, second) = (groups.removeLast(), groups.removeLast())
            let members = first.members + second.members
            for member in members { lengths[member] += 1 }
            groups.append((first.weight + second.weight, members))
        }
        return lengths
    }

    /// Returns the number of codes of each length, limited to 16 bits, without the all-ones code (T.81, K.3).
    private static func limited(_ lengths: [Int]) -> [Int] {
        // With n symbols, no code is longer than n - 1 bits.
        var counts = [Int](repeating: 0, count: max(lengths.count, longest + 1))
        for length in lengths where length > 0 { counts[length] += 1 }
        for length in stride(from: counts.count - 1, to: longest, by: -1) {
            while counts[length] > 0 {
                // Removes two of the longest codes. One symbol gets their common prefix. A shorter code is extended by
                // one bit for its symbol and the other one.
                guard let shorter = counts[..<(length - 1)].lastIndex(where: { $0 > 0 }) else { break }
                counts[length] -= 2
                counts[length - 1] += 1
                counts[shorter + 1] += 2
                counts[shorter] -= 1
            }
        }
        if let last = counts.lastIndex(where: { $0 > 0 }) { counts[last] -= 1 }
        return Array(counts[1...longest])
    }
}
