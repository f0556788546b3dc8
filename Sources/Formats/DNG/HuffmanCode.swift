/// The shortest prefix code for categories of difference of known frequency (ITU-T T.81, K.2).
struct HuffmanCode {
    /// How many codes there are of each length, 1 to 16 bits.
    let lengthCounts: [UInt8]
    /// The categories, those of shorter codes first.
    let categories: [UInt8]

    private static let longest = 16

    /// - Parameter frequencies: How often each category occurs.
    init(frequencies: [UInt64]) {
        let lengths = Self.unlimitedLengths(frequencies)
        lengthCounts = Self.limited(lengths).map { UInt8(clamping: $0) }
        categories = frequencies.indices.filter { frequencies[$0] > 0 }
            .sorted { (lengths[$0], $0) < (lengths[$1], $1) }.map { UInt8(clamping: $0) }
    }

    /// Code and length of each category; zero for those that do not occur.
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

    /// Huffman's code lengths. The last is that of a symbol that never occurs: it has one of the longest codes, that of
    /// all ones, which T.81 forbids.
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

    /// How many codes of each length there are when none is longer than 16 bits, without that of all ones (T.81, K.3).
    private static func limited(_ lengths: [Int]) -> [Int] {
        // Of n symbols no code is longer than n - 1 bits.
        var counts = [Int](repeating: 0, count: max(lengths.count, longest + 1))
        for length in lengths where length > 0 { counts[length] += 1 }
        for length in stride(from: counts.count - 1, to: longest, by: -1) {
            while counts[length] > 0 {
                // Two of the longest codes go: one takes their common prefix, the other shares one of a shorter code.
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
