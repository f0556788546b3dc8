public import CaptureModel
internal import FoundationEssentials

/// Documents as JSON: read from untrusted bytes, and written for a message.
public enum StrictJSON {
    /// Bytes of the longest document. The longest is a selection of thousands of devices.
    public static let longest = 1 << 20
    /// How many objects and arrays may be inside each other.
    public static let deepest = 32

    /// Reads a request: a document that has only members that its type knows, each once and of its type, and within its limits.
    ///
    /// The bytes are parsed once, and the value is decoded from what was parsed. Which members a type knows is seen from those that it
    /// decodes, so that no list of them is kept.
    /// - Throws: the first mistake, with the path of its member.
    public static func decode<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Collection<UInt8>
    ) throws(InvalidDocument) -> Value {
        let value = try read(type, from: bytes)
        try (value as? any ValidatedDocument)?.validate()
        return value
    }

    /// Reads a request without its limits.
    package static func read<Value: Decodable>(
        _ type: Value.Type = Value.self, from bytes: some Collection<UInt8>
    ) throws(InvalidDocument) -> Value {
        guard bytes.count <= longest else {
            throw InvalidDocument("", "has \(bytes.count) bytes, and at most \(longest) are allowed")
        }
        var parser = JSONParser(Array(bytes), deepest: deepest)
        let tree = try parser.document()
        return try DocumentDecoder.decode(type, from: tree)
    }

    /// Returns a document as compact UTF-8 text, its members sorted by name.
    /// - Returns: An empty text, which no reader accepts, if a value has no JSON, such as a number that is not finite.
    public static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
