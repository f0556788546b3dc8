/// A short name that is safe in a file path, a topic and a log line: 1 to 24 of `a-z`, `0-9`, `-` and `_`, not starting
/// with `-` or `_`. Names from a peer are checked here, so they cannot form a path.
public struct Name<Subject: NamedSubject>: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// - Throws: ``InvalidName``, which states what is allowed.
    public init(_ text: String) throws(InvalidName) {
        let bytes = Array(text.utf8)
        let legal = bytes.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard (1...24).contains(bytes.count), legal, bytes[0] != UInt8(ascii: "-"), bytes[0] != UInt8(ascii: "_") else {
            throw InvalidName(subject: Subject.subjectName, text: text.excerpt)
        }
        rawValue = text
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }

    public var description: String { rawValue }
}

extension Name: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
