public import CaptureModel
internal import FoundationEssentials

/// Documents as JSON: read from untrusted bytes, and written for a message.
public enum StrictJSON {
    /// Bytes of the longest document. The longest is a selection of thousands of devices.
    public static let longest = 1 << 20
    /// How many objects and arrays may be inside each other.
    public static let deepest = 32

    /// What is done about members that the type of a document does not know.
    public enum UnknownMembers: Sendable {
        /// As in a request: what they ask for would silently not be done.
        case refused
        /// As in a report, whose writer may be of a later version.
        case ignored
    }

    /// Reads a document of at most `longest` bytes whose members occur once, are of their types and within their limits.
    ///
    /// The bytes are parsed once, and the value is decoded from what was parsed. Which members a type knows is seen from those that it
    /// decodes, so that no list of them is kept.
    /// - Throws: the first mistake, with the path of its member.
    public static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Collection<UInt8>, unknown: UnknownMembers = .refused,
        longest: Int = longest
    ) throws(InvalidDocument) -> Value {
        var ignored = IgnoredMembers()
        return try decode(type, from: bytes, unknown: unknown, longest: longest, ignored: &ignored)
    }

    /// Reads a document, and counts the members that were ignored.
    package static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Collection<UInt8>, unknown: UnknownMembers, longest: Int,
        ignored: inout IgnoredMembers
    ) throws(InvalidDocument) -> Value {
        let value = try read(type, from: bytes, unknown: unknown, longest: longest, ignored: &ignored)
        try (value as? any ValidatedDocument)?.validate()
        return value
    }

    /// Reads a document without its limits.
    package static func read<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Collection<UInt8>, unknown: UnknownMembers = .refused,
        longest: Int = longest
    ) throws(InvalidDocument) -> Value {
        var ignored = IgnoredMembers()
        return try read(type, from: bytes, unknown: unknown, longest: longest, ignored: &ignored)
    }

    private static func read<Value: Decodable>(
        _ type: Value.Type, from bytes: some Collection<UInt8>, unknown: UnknownMembers, longest: Int,
        ignored: inout IgnoredMembers
    ) throws(InvalidDocument) -> Value {
        guard bytes.count <= longest else {
            throw InvalidDocument("", "has \(bytes.count) bytes, and at most \(longest) are allowed")
        }
        var parser = JSONParser(Array(bytes), deepest: deepest)
        let tree = try parser.document()
        return try DocumentDecoder.decode(type, from: tree, unknown: unknown, ignored: &ignored)
    }

    /// Returns a document as compact UTF-8 text, its members sorted by name.
    /// - Returns: An empty text, which no reader accepts, if a value has no JSON, such as a number that is not finite.
    public static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
