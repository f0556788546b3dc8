import CaptureModel
import Yams

/// A mapping in the making, keys in the order in which they are added.
struct MappingBuilder {
    private var pairs: [(Node, Node)] = []

    /// A value that is no free text and needs no quotes.
    mutating func add(_ key: String, plain value: some CustomStringConvertible) {
        pairs.append((Node(key), Node(value.description, .implicit, .plain)))
    }

    mutating func add(_ key: String, plainIfPresent value: (some CustomStringConvertible)?) {
        if let value { add(key, plain: value) }
    }

    /// Text, quoted, so that no word of it is taken for a number or nothing.
    mutating func add(_ key: String, text value: String?) {
        guard let value else { return }
        pairs.append((Node(key), Node(value, Tag(.str), .doubleQuoted)))
    }

    mutating func add(_ key: String, texts values: [String]) {
        let nodes = values.map { Node($0, Tag(.str), .doubleQuoted) }
        pairs.append((Node(key), Node(nodes, .implicit, .flow)))
    }

    /// A list in one line of what needs no quotes.
    mutating func add(_ key: String, plainsIfPresent values: [some CustomStringConvertible]?) {
        guard let values else { return }
        pairs.append((Node(key), Node(values.map { Node($0.description, .implicit, .plain) }, .implicit, .flow)))
    }

    mutating func add(_ key: String, list values: [Node]) {
        pairs.append((Node(key), Node(values, .implicit, .block)))
    }

    /// A mapping of its own; left out where it stays empty.
    mutating func add(_ key: String, _ build: (inout MappingBuilder) -> Void) {
        let node = Self.node(build)
        guard node.mapping?.isEmpty == false else { return }
        pairs.append((Node(key), node))
    }

    static func node(_ build: (inout MappingBuilder) -> Void) -> Node {
        var builder = MappingBuilder()
        build(&builder)
        return Node(builder.pairs, .implicit, .block)
    }

    /// The text of a whole file.
    static func text(_ build: (inout MappingBuilder) -> Void) throws -> String {
        try serialize(node: node(build), indent: 2, width: -1, allowUnicode: true)
    }
}
