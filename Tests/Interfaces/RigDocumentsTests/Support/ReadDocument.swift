import Foundation
import RigDocuments

/// A document as a program reads it.
struct ReadDocument {
    /// Every value that is not an object or list, with its path: `nodes[].load.ringBytes`.
    private(set) var values: [(path: String, value: JSONValue)] = []
    /// The names of the members of the objects at a path.
    private var names: [String: Set<String>] = [:]

    init(_ document: some Encodable) throws {
        let text = try JSONText.document(document)
        add(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)), at: "")
    }

    /// The paths of all members that are numbers.
    var numbers: Set<String> {
        Set(values.compactMap { if case .number = $0.value { $0.path } else { nil } })
    }

    /// The paths of the numbers that are not in the member of this name.
    func numbers(outside member: String) -> Set<String> {
        numbers.filter { !$0.hasPrefix(member + ".") }
    }

    /// The paths of all values.
    var paths: Set<String> { Set(values.map(\.path)) }

    /// The names of the members of all objects at a path; that of the document is empty.
    func members(of path: String = "") -> Set<String> { names[path] ?? [] }

    /// The strings at a path, in order.
    func texts(_ path: String) -> [String] {
        values.compactMap { if $0.path == path, case .text(let text) = $0.value { text } else { nil } }
    }

    private mutating func add(_ value: JSONValue, at path: String) {
        switch value {
        case .object(let members):
            names[path, default: []].formUnion(members.keys)
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                add(member, at: path.isEmpty ? name : "\(path).\(name)")
            }
        case .list(let items):
            for item in items { add(item, at: path + "[]") }
        case .null, .flag, .number, .text:
            values.append((path, value))
        }
    }
}

/// Any JSON value.
enum JSONValue: Decodable, Equatable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}
