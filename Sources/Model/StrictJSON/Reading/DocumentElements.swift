/// The elements of a list.
struct DocumentElements: UnkeyedDecodingContainer {
    private let elements: [JSONTree]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(_ elements: [JSONTree], at path: [any CodingKey]) {
        self.elements = elements
        codingPath = path
    }

    var count: Int? { elements.count }

    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next().decode(type) }
    mutating func decode(_ type: String.Type) throws -> String { try next().decode(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try next().decode(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try next().decode(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try next().decode(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next().decode(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next().decode(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next().decode(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next().decode(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next().decode(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next().decode(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next().decode(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next().decode(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next().decode(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try next().decode(type) }

    mutating func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type
    ) throws -> KeyedDecodingContainer<Inner> {
        let value = try next()
        return KeyedDecodingContainer(DocumentMembers<Inner>(try value.object, at: value.codingPath))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let value = try next()
        return DocumentElements(try value.list, at: value.codingPath)
    }

    mutating func superDecoder() throws -> any Decoder {
        let value = try next()
        return DocumentDecoder.of(value.tree, at: value.codingPath)
    }

    private mutating func next() throws -> DocumentValue {
        let path = codingPath + [DocumentKey(currentIndex)]
        guard !isAtEnd else { throw LocatedMistake(path, "this element is required") }
        defer { currentIndex += 1 }
        return DocumentValue(elements[currentIndex], at: path)
    }
}
