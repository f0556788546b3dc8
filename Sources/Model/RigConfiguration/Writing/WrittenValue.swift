import Yams

/// The value of a key of a configuration, in written form.
public struct WrittenValue {
    let node: Node

    /// Returns quoted text, so that no word is read as a number or null.
    public static func text(_ text: String) -> WrittenValue {
        WrittenValue(node: Node(text, Tag(.str), .doubleQuoted))
    }

    /// Returns a mapping; it may be empty.
    public static func mapping(_ build: (inout MappingBuilder) -> Void) -> WrittenValue {
        var builder = MappingBuilder()
        build(&builder)
        return WrittenValue(node: builder.node)
    }
}
