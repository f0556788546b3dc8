import Yams

/// What is written under a key of a configuration.
public struct WrittenValue {
    let node: Node

    /// Text, quoted, so that no word of it is taken for a number or nothing.
    public static func text(_ text: String) -> WrittenValue {
        WrittenValue(node: Node(text, Tag(.str), .doubleQuoted))
    }

    /// A mapping; it may stay empty.
    public static func mapping(_ build: (inout MappingBuilder) -> Void) -> WrittenValue {
        var builder = MappingBuilder()
        build(&builder)
        return WrittenValue(node: Node(builder.pairs, .implicit, .block))
    }
}

/// A mapping in the making, keys in the order in which they are added.
public struct MappingBuilder {
    fileprivate var pairs: [(Node, Node)] = []

    /// A value that is no free text and needs no quotes.
    public mutating func add(_ key: String, plain value: some CustomStringConvertible) {
        pairs.append((Node(key), Node(value.description, .implicit, .plain)))
    }

    public mutating func add(_ key: String, plainIfPresent value: (some CustomStringConvertible)?) {
        if let value { add(key, plain: value) }
    }

    /// Text, quoted, so that no word of it is taken for a number or nothing.
    public mutating func add(_ key: String, text value: String?) {
        guard let value else { return }
        add(key, .text(value))
    }

    public mutating func add(_ key: String, texts values: [String]) {
        pairs.append((Node(key), Node(values.map { WrittenValue.text($0).node }, .implicit, .flow)))
    }

    /// A list in one line of what needs no quotes.
    public mutating func add(_ key: String, plainsIfPresent values: [some CustomStringConvertible]?) {
        guard let values else { return }
        pairs.append((Node(key), Node(values.map { Node($0.description, .implicit, .plain) }, .implicit, .flow)))
    }

    public mutating func add(_ key: String, list values: [WrittenValue]) {
        pairs.append((Node(key), Node(values.map(\.node), .implicit, .block)))
    }

    public mutating func add(_ key: String, _ value: WrittenValue) {
        pairs.append((Node(key), value.node))
    }

    /// A mapping of its own; left out where it stays empty.
    public mutating func add(_ key: String, _ build: (inout MappingBuilder) -> Void) {
        let value = WrittenValue.mapping(build)
        guard value.node.mapping?.isEmpty == false else { return }
        add(key, value)
    }

    /// The text of a whole file.
    static func text(_ build: (inout MappingBuilder) -> Void) throws -> String {
        try serialize(node: WrittenValue.mapping(build).node, indent: 2, width: -1, allowUnicode: true)
    }
}
