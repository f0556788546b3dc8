internal import CaptureModel

/// Decodes from a parsed text, and notes which members the types ask for.
struct DocumentDecoder: MessageDecoder {
    let tree: JSONTree
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]

    private init(_ tree: JSONTree, at path: [any CodingKey]) {
        self.tree = tree
        codingPath = path
    }

    /// Decodes a complete document.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from tree: JSONTree, unknown: StrictJSON.UnknownMembers
    ) throws(InvalidDocument) -> Value {
        do {
            let value = try DocumentValue(tree, at: []).decode(type)
            if unknown == .refused { try checkKnown(tree, at: []) }
            return value
        } catch let error as DecodingError {
            throw InvalidDocument(error)
        } catch let error as LocatedMistake {
            throw error.mistake
        } catch {
            throw InvalidDocument("", "\(error)")
        }
    }

    /// A member that is not known is a mistake: what it asks for would silently not be done.
    private static func checkKnown(_ tree: JSONTree, at path: [any CodingKey]) throws {
        switch tree {
        case .null, .boolean, .number, .text: break
        case .list(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                try checkKnown(element, at: path + [DocumentKey(index)])
            }
        case .object(let object):
            if let unknown = object.unknown {
                throw LocatedMistake(path + [DocumentKey(unknown)], reason(unknown, of: object, at: path))
            }
            for name in object.names {
                guard let member = object.members[name], member.isContainer else { continue }
                try checkKnown(member, at: path + [DocumentKey(name)])
            }
        }
    }

    private static func reason(_ unknown: String, of object: JSONObject, at path: [any CodingKey]) -> String {
        if let explanation = object.explaining?.explanation(ofUnknown: unknown) { return explanation }
        let subject = path.isEmpty ? "the document" : "'\(path.text)'"
        let known = object.known.isEmpty ? "none" : object.known.joined(separator: ", ")
        return "there is no such member; \(subject) has \(known)"
    }

    /// A decoder of one value.
    static func of(_ tree: JSONTree, at path: [any CodingKey]) -> DocumentDecoder { DocumentDecoder(tree, at: path) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(DocumentMembers<Key>(try DocumentValue(tree, at: codingPath).object, at: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        DocumentElements(try DocumentValue(tree, at: codingPath).list, at: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { DocumentValue(tree, at: codingPath) }
}

/// The name of a member, or the number of an element.
struct DocumentKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }

    init?(intValue: Int) { self.init(intValue) }
}

extension [any CodingKey] {
    /// Such as `selection.devices[2]`.
    var text: String {
        reduce("") { path, key in
            if let index = key.intValue { return "\(path)[\(index)]" }
            return path + (path.isEmpty ? "" : ".") + key.stringValue.excerpt
        }
    }
}

extension InvalidDocument {
    /// What a type's own initializer has thrown.
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init((context.codingPath + [key]).text, "this member is required")
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            self.init(context.codingPath.text, context.debugDescription)
        @unknown default: self.init("", "\(error)")
        }
    }
}
