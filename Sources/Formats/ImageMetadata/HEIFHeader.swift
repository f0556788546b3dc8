/// The `meta` box of a HEIF file, parsed as far as necessary to add properties to its picture.
struct HEIFHeader {
    /// Boxes of `meta`, in order.
    private var boxes: [(type: String, content: [UInt8])] = []
    private let versionAndFlags: [UInt8]
    private var associations: [UInt8] = []
    private var properties: [UInt8] = []
    private var propertyCount = 0
    /// Boxes of `iprp` other than `ipco` and the first `ipma`.
    private let otherProperties: [UInt8]

    init(_ file: [UInt8], _ meta: HEIFBox) throws(HEIFProblem) {
        guard meta.content.count >= 4 else { throw HEIFProblem("its meta box is empty") }
        versionAndFlags = Array(file[meta.content.prefix(4)])
        var others: [UInt8] = []
        for box in try HEIFBox.children(of: file, in: meta.content.dropFirst(4)) {
            boxes.append((box.type, Array(file[box.content])))
            guard box.type == "iprp" else { continue }
            for inner in try HEIFBox.children(of: file, in: box.content) {
                switch inner.type {
                case "ipco":
                    properties = Array(file[inner.content])
                    propertyCount = try HEIFBox.children(of: file, in: inner.content).count
                case "ipma" where associations.isEmpty: associations = Array(file[inner.content])
                default: others += Array(file[inner.range])
                }
            }
        }
        otherProperties = others
    }

    /// Adds properties to the primary picture, after its existing ones.
    mutating func add(_ added: [[UInt8]]) throws(HEIFProblem) {
        let isWide = (associations.dropFirst(3).first ?? 0) & 1 == 1
        guard !isWide, propertyCount + added.count < 128 else { throw HEIFProblem("it has too many properties") }
        let numberLength = associations.first == 0 ? 2 : 4
        var start = 8
        for _ in 0..<min(HEIFBox.number(associations, 4, 4), 1024) {
            let count = HEIFBox.number(associations, start + numberLength, 1)
            let end = start + numberLength + 1 + count
            guard end <= associations.count else { throw HEIFProblem("its properties are cut off") }
            if HEIFBox.number(associations, start, numberLength) == primary {
                guard count + added.count < 256 else { throw HEIFProblem("it has too many properties") }
                associations[start + numberLength] = UInt8(count + added.count)
                // 0x80: essential. A viewer that does not know the property must not show the picture.
                associations.insert(
                    contentsOf: added.indices.map { 0x80 | UInt8(propertyCount + 1 + $0) }, at: end)
                properties += added.joined()
                propertyCount += added.count
                return
            }
            start = end
        }
        throw HEIFProblem("its picture has no properties")
    }

    private var primary: Int {
        let content = boxes.first { $0.type == "pitm" }?.content ?? []
        return HEIFBox.number(content, 4, content.first == 0 ? 2 : 4)
    }

    /// Adjusts the offsets of all data after a position in the file that moves by `distance` bytes.
    mutating func moveData(behind place: Int, by distance: Int) throws(HEIFProblem) {
        guard let index = boxes.firstIndex(where: { $0.type == "iloc" }) else {
            throw HEIFProblem("it has no iloc box")
        }
        var locations = HEIFLocations(boxes[index].content)
        try locations.move(behind: place, by: distance)
        boxes[index].content = locations.content
    }

    func serialized() -> [UInt8] {
        let properties =
            HEIFBox.bytes("ipco", properties) + HEIFBox.bytes("ipma", associations) + otherProperties
        let content = boxes.flatMap { HEIFBox.bytes($0.type, $0.type == "iprp" ? properties : $0.content) }
        return HEIFBox.bytes("meta", versionAndFlags + content)
    }
}

/// A box of an ISO base media file: 32 bits of length, a type of four letters, content.
struct HEIFBox {
    let type: String
    /// The bytes of the box, including its header.
    let range: Range<Int>
    var content: Range<Int> { range.lowerBound + 8..<range.upperBound }

    /// Returns the boxes in a range.
    /// - Throws: ``HEIFProblem`` if they do not fill the range, or if one has a length of 64 bits, which no still needs.
    static func children(of bytes: [UInt8], in range: Range<Int>) throws(HEIFProblem) -> [HEIFBox] {
        var boxes: [HEIFBox] = []
        var start = range.lowerBound
        while start < range.upperBound {
            guard range.upperBound - start >= 8 else { throw HEIFProblem("a box is cut off") }
            let length = number(bytes, start, 4)
            // 0: extends to the end of the file.
            let end = length == 0 && range.upperBound == bytes.count ? range.upperBound : start + length
            guard end - start >= 8, end <= range.upperBound else {
                throw HEIFProblem("a box has a length of \(length)")
            }
            let type = String(decoding: bytes[start + 4..<start + 8], as: UTF8.self)
            boxes.append(HEIFBox(type: type, range: start..<end))
            start = end
        }
        return boxes
    }

    static func bytes(_ type: String, _ content: [UInt8]) -> [UInt8] {
        big(content.count + 8, 4) + Array(type.utf8) + content
    }

    /// Returns the big-endian number of `count` bytes, at most 4, at `start`; 0 if it is outside of the bytes.
    static func number(_ bytes: [UInt8], _ start: Int, _ count: Int) -> Int {
        guard start >= 0, count <= 4, start <= bytes.count - count else { return 0 }
        return bytes[start..<start + count].reduce(0) { $0 << 8 | Int($1) }
    }

    static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
}

/// The `iloc` box of a HEIF file: the positions of its items' data.
struct HEIFLocations {
    private(set) var content: [UInt8]

    init(_ content: [UInt8]) {
        self.content = content
    }

    /// Adds `distance` to every file offset of at least `place`.
    mutating func move(behind place: Int, by distance: Int) throws(HEIFProblem) {
        let version = HEIFBox.number(content, 0, 1)
        let (offsetLength, lengthLength) = (Int(byte(4) >> 4), Int(byte(4) & 15))
        let (baseLength, indexLength) = (Int(byte(5) >> 4), version == 0 ? 0 : Int(byte(5) & 15))
        guard version <= 2, offsetLength == 4, [0, 4].contains(baseLength) else {
            throw HEIFProblem("it gives offsets in numbers of \(offsetLength) and \(baseLength) bytes")
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
                    throw HEIFProblem("its offsets are cut off")
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

/// Adds properties to a HEIF file (ISO/IEC 23008-12) that make viewers rotate its picture. The pixels stay as the camera delivered them.
///
/// Viewers of HEIF follow the properties `irot` and `imir` and ignore the Exif tag Orientation, which is kept as in
/// files of Apple's cameras. The input is untrusted.
public enum HEIFTransform {
    /// Returns the file with the properties that correspond to the Exif orientation.
    /// - Parameter file: A file as an encoder of one picture writes it: `meta` before the data, without such properties.
    /// - Throws: ``HEIFProblem`` if its structure differs or it is cut off, also if no rotation is necessary.
    public static func turned(_ file: [UInt8], as orientation: EXIFOrientation) throws(HEIFProblem) -> [UInt8] {
        let boxes = try HEIFBox.children(of: file, in: 0..<file.count)
        guard let meta = boxes.first(where: { $0.type == "meta" }) else { throw HEIFProblem("it has no meta box") }
        guard boxes.contains(where: { $0.type == "mdat" }) else { throw HEIFProblem("it has no data") }
        let properties = properties(of: orientation)
        guard !properties.isEmpty else { return file }
        var header = try HEIFHeader(file, meta)
        try header.add(properties)
        let growth = properties.reduce(0) { $0 + $1.count + 1 }
        try header.moveData(behind: meta.range.upperBound, by: growth)
        let grown = header.serialized()
        guard grown.count == meta.range.count + growth else { throw HEIFProblem("its properties need wide numbers") }
        return Array(file[..<meta.range.lowerBound]) + grown + Array(file[meta.range.upperBound...])
    }

    /// Returns the boxes in the order in which viewers apply them: quarter turns counterclockwise, then an exchange of left and right.
    private static func properties(of orientation: EXIFOrientation) -> [[UInt8]] {
        let (quarters, isMirrored): (UInt8, Bool) =
            switch orientation {
            case .up: (0, false)
            case .upMirrored: (0, true)
            case .right: (3, false)
            case .leftMirrored: (3, true)
            case .down: (2, false)
            case .downMirrored: (2, true)
            case .left: (1, false)
            case .rightMirrored: (1, true)
            }
        return (quarters == 0 ? [] : [HEIFBox.bytes("irot", [quarters])])
            + (isMirrored ? [HEIFBox.bytes("imir", [1])] : [])
    }
}
