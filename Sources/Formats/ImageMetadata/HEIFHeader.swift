/// The `meta` box of a HEIF file, as far as it must be changed to give its picture further properties.
struct HEIFHeader {
    /// Boxes of `meta` in their order.
    private var boxes: [(type: String, content: [UInt8])] = []
    private let versionAndFlags: [UInt8]
    private var associations: [UInt8] = []
    private var properties: [UInt8] = []
    private var propertyCount = 0
    /// Boxes of `iprp` other than the two above.
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

    /// Gives the primary picture these properties, behind those it has.
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
                // 0x80: a viewer that does not know it must not show the picture.
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

    /// Tells that all data behind a place in the file lies so many bytes further on.
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
