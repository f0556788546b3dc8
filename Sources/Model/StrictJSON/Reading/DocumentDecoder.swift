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
        _ type: Value.Type, from tree: JSONTree, unknown: StrictJSON.UnknownMembers, ignored: inout IgnoredMembers
    ) throws(InvalidDocument) -> Value {
        do {
            let value = try DocumentValue(tree, at: []).decode(type)
            switch unknown {
            case .refused: try forEachUnknown(in: tree, at: []) { path, object in throw mistake(path, of: object) }
            case .ignored: try forEachUnknown(in: tree, at: []) { path, _ in ignored.note(path.text) }
            }
            return value
        } catch let error as DecodingError {
            throw InvalidDocument(error)
        } catch let error as LocatedMistake {
            throw error.mistake
        } catch {
            throw InvalidDocument("", "\(error)")
        }
    }

    /// Calls `body` with the path of each member that no type has asked for, and its object: those of an object before those inside its
    /// members. An unknown member is not looked into.
    private static func forEachUnknown(
        in tree: JSONTree, at path: [any CodingKey], _ body: ([any CodingKey], JSONObject) throws -> Void
    ) throws {
        switch tree {
        case .null, .boolean, .number, .text: break
        case .list(let elements):
            for (index, element) in elements.enumerated() where element.isContainer {
                try forEachUnknown(in: element, at: path + [DocumentKey(index)], body)
            }
        case .object(let object):
            for name in object.names where !object.knows(name) { try body(path + [DocumentKey(name)], object) }
            for name in object.names where object.knows(name) {
                guard let member = object.members[name], member.isContainer else { continue }
                try forEachUnknown(in: member, at: path + [DocumentKey(name)], body)
            }
        }
    }

    /// A member that is not known is a mistake in a request: what it asks for would silently not be done.
    private static func mistake(_ path: [any CodingKey], of object: JSONObject) -> LocatedMistake {
        LocatedMistake(path, reason(path.last?.stringValue ?? "", of: object, at: Array(path.dropLast())))
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
