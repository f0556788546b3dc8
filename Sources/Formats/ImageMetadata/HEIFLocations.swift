/// The `iloc` box of a HEIF file: where the data of its items lies.
struct HEIFLocations {
    private(set) var content: [UInt8]

    init(_ content: [UInt8]) {
        self.content = content
    }

    /// Adds to every offset in the file that is not before `place`.
    mutating func move(behind place: Int, by distance: Int) throws(HEIFProblem) {
        let version = HEIFBox.number(content, 0, 1)
        let (offsetLength, lengthLength) = (Int(byte(4) >> 4), Int(byte(4) & 15))
        let (baseLength, indexLength) = (Int(byte(5) >> 4), version == 0 ? 0 : Int(byte(5) & 15))
        guard version <= 2, offsetLength == 4, [0, 4].contains(baseLength) else {
            throw HEIFProblem("it tells places in numbers of \(offsetLength) and \(baseLength) bytes")
        }
        let numberLength = version < 2 ? 2 : 4
        var start = 6 + numberLength
        for _ in 0..<min(HEIFBox.number(content, 6, numberLength), 1024) {
            let method = version == 0 ? 0 : HEIFBox.number(content, start + numberLength, 2) & 15
            let base = start + numberLength + (version == 0 ? 0 : 2) + 2
            let extents = HEIFBox.number(content, base + baseLength, 2)
            start = base + baseLength + 2
            let isBased = baseLength > 0 && HEIFBox.number(content, base, baseLength) > 0
            if method == 0, isBased { try move(at: base, behind: place, by: distance) }
            for _ in 0..<extents {
                guard start + indexLength + offsetLength + lengthLength <= content.count else {
                    throw HEIFProblem("its places are cut off")
                }
                if method == 0, !isBased { try move(at: start + indexLength, behind: place, by: distance) }
                start += indexLength + offsetLength + lengthLength
            }
        }
    }

    private mutating func move(at start: Int, behind place: Int, by distance: Int) throws(HEIFProblem) {
        let offset = HEIFBox.number(content, start, 4)
        guard offset >= place else { return }
        guard start + 4 <= content.count, offset + distance <= Int(UInt32.max) else {
            throw HEIFProblem("it is too long")
        }
        content.replaceSubrange(start..<start + 4, with: HEIFBox.big(offset + distance, 4))
    }

    private func byte(_ index: Int) -> UInt8 { index < content.count ? content[index] : 0 }
}
