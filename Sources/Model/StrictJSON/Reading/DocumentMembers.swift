internal import CaptureModel

/// The members of an object. Every name that a type asks for is noted as known.
struct DocumentMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: JSONObject
    let codingPath: [any CodingKey]

    init(_ object: JSONObject, at path: [any CodingKey]) {
        self.object = object
        codingPath = path
        // An object with one of several members is read by the one that it has, so the others are not asked for.
        for name in Self.allNames ?? [] { object.note(name) }
    }

    /// The names of a closed set of members; nil where the type does not list them.
    private static var allNames: [String]? {
        guard let keys = Key.self as? any CaseIterable.Type else { return nil }
        func names<Keys: CaseIterable>(_: Keys.Type) -> [String] {
            Keys.allCases.compactMap { ($0 as? any CodingKey)?.stringValue }
        }
        return names(keys)
    }

    /// - Note: A type that asks for all keys of a closed set is one of several cases, and has one member.
    var allKeys: [Key] {
        object.choices = Self.allNames
        return object.names.compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool { object.member(key.stringValue) != nil }

    /// A member that may be absent may be null, which is like absence.
    func decodeNil(forKey key: Key) throws -> Bool { try value(key).tree.isNull }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try value(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value(key).decode(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value(key).decode(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value(key).decode(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value(key).decode(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value(key).decode(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value(key).decode(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value(key).decode(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value(key).decode(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value(key).decode(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value(key).decode(type) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(key).decode(type)
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> {
        let value = try value(key)
        return KeyedDecodingContainer(DocumentMembers<Inner>(try value.object, at: value.codingPath))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        let value = try value(key)
        return DocumentElements(try value.list, at: value.codingPath)
    }

    func superDecoder() throws -> any Decoder { try superDecoder(at: DocumentKey("super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(at: key) }

    private func superDecoder(at key: any CodingKey) throws -> any Decoder {
        DocumentDecoder.of(object.member(key.stringValue) ?? .null, at: codingPath + [key])
    }

    private func value(_ key: Key) throws -> DocumentValue {
        let path = codingPath + [DocumentKey(key.stringValue)]
        guard let tree = object.member(key.stringValue) else { throw LocatedMistake(path, "this member is required") }
        return DocumentValue(tree, at: path)
    }
}
