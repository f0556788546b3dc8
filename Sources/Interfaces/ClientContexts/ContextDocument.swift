internal import FoundationEssentials
internal import RigConfiguration
internal import ZeroMQ

/// The content of `contexts.json`.
///
/// The members of a version are fixed: a member that it does not have is a mistake, which is refused, so that saving never loses anything. A
/// program with further members writes a higher `schemaVersion`.
struct ContextDocument: Codable {
    static let currentSchemaVersion = 1
    /// No file has more bytes. Enough for ``ContextList/limit`` contexts with the longest names and paths.
    static let byteLimit = 2 << 20

    private var schemaVersion = ContextDocument.currentSchemaVersion
    private var current: String?
    private var contexts: [Entry]

    private struct Entry: Codable {
        var name: String
        var coordinator: String
        var coordinatorKey: String
        var keyFile: String

        enum CodingKeys: String, CodingKey, CaseIterable { case name, coordinator, coordinatorKey, keyFile }

        init(_ context: ClientContext) {
            name = context.name.description
            coordinator = context.coordinator.description
            coordinatorKey = context.coordinatorKey.description
            keyFile = context.keyFile
        }

        init(from decoder: any Decoder) throws {
            try decoder.refuseMembers(beyond: CodingKeys.allCases)
            let members = try decoder.container(keyedBy: CodingKeys.self)
            name = try members.decode(String.self, forKey: .name)
            coordinator = try members.decode(String.self, forKey: .coordinator)
            coordinatorKey = try members.decode(String.self, forKey: .coordinatorKey)
            keyFile = try members.decode(String.self, forKey: .keyFile)
        }

        func value() throws -> ClientContext {
            guard let key = CurvePublicKey(coordinatorKey) else {
                throw Flaw("the coordinatorKey of '\(name)' is not 40 characters of Z85")
            }
            return try ClientContext(
                name: ContextName(name), coordinator: TCPEndpoint(parsing: coordinator), coordinatorKey: key,
                keyFile: keyFile)
        }
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case schemaVersion, current, contexts }

    private init(_ list: ContextList) {
        current = list.current?.description
        contexts = list.contexts.map(Entry.init)
    }

    init(from decoder: any Decoder) throws {
        try decoder.refuseMembers(beyond: CodingKeys.allCases)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        schemaVersion = try members.decode(Int.self, forKey: .schemaVersion)
        current = try members.decodeIfPresent(String.self, forKey: .current)
        contexts = try members.decode([Entry].self, forKey: .contexts)
    }

    private func value() throws -> ContextList {
        var list = ContextList()
        for entry in contexts { try list.add(try entry.value()) }
        try list.setCurrent(try current.map { try ContextName($0) })
        return list
    }
}

extension ContextDocument {
    /// Returns the contexts in the content of the file at `path`.
    /// - Throws: ``ContextError/Code/damaged``, ``ContextError/Code/laterVersion``.
    static func contexts(in bytes: [UInt8], of path: String) throws(ContextError) -> ContextList {
        struct Version: Decodable { var schemaVersion: Int }
        do {
            let version = try JSONDecoder().decode(Version.self, from: Data(bytes)).schemaVersion
            guard version <= currentSchemaVersion else { throw later(version, path) }
            guard version == currentSchemaVersion else { throw Flaw("its schemaVersion is \(version)") }
            return try JSONDecoder().decode(ContextDocument.self, from: Data(bytes)).value()
        } catch let error as ContextError where error.code == .laterVersion {
            throw error
        } catch {
            throw damaged(error, bytes, path)
        }
    }

    /// Returns the content of a file of these contexts; `path` is for error messages.
    static func encoded(_ list: ContextList, for path: String) throws(ContextError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(ContextDocument(list))) + [UInt8(ascii: "\n")]
        } catch {
            throw ContextError(
                .invalid, "write the contexts", path, "\(error)", remedy: "remove the context that was added")
        }
    }

    private static func later(_ version: Int, _ path: String) -> ContextError {
        ContextError(
            .laterVersion, "read the contexts", path,
            "its schemaVersion is \(version), and this program reads \(currentSchemaVersion)",
            remedy: "install the version of capctl that wrote it, or a later one")
    }

    private static func damaged(_ error: any Error, _ bytes: [UInt8], _ path: String) -> ContextError {
        let reason =
            switch error {
            case let error as DecodingError: error.sentence
            case let error as ContextError: "\(error.subject): \(error.reason)"
            default: bytes.isEmpty ? "it is empty" : "\(error)"
            }
        return ContextError(
            .damaged, "read the contexts", path, "it is damaged: \(reason)",
            remedy: "correct it, or move it away and join the rigs again; the keys are not in it and stay")
    }
}

/// Why a document cannot be used: a clause for people.
private struct Flaw: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Any member of an object.
private struct AnyMember: CodingKey {
    let stringValue: String
    let intValue: Int? = nil

    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Throws if the object has a member that is none of `keys`.
    fileprivate func refuseMembers(beyond keys: [some CodingKey]) throws {
        let known = Set(keys.map(\.stringValue))
        for member in try container(keyedBy: AnyMember.self).allKeys where !known.contains(member.stringValue) {
            throw Flaw(
                "'\(member.stringValue.prefix(60))' is an unknown member; known are \(known.sorted().joined(separator: ", "))"
            )
        }
    }
}

extension DecodingError {
    /// What is wrong and where, in words.
    fileprivate var sentence: String {
        let context: Context
        let what: String
        switch self {
        case .keyNotFound(let key, let found): (context, what) = (found, "the member '\(key.stringValue)' is missing")
        case .typeMismatch(_, let found): (context, what) = (found, "a value has the wrong type")
        case .valueNotFound(_, let found): (context, what) = (found, "a value is missing")
        case .dataCorrupted(let found): (context, what) = (found, "it is not JSON")
        @unknown default: return "\(self)"
        }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return path.isEmpty ? what : "\(what) at \(path.joined(separator: "."))"
    }
}
