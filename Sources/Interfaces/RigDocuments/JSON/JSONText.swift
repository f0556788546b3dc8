internal import Foundation

/// JSON for programs. Keys are sorted, so that equal values give equal text.
public enum JSONText {
    /// One document on several lines, with a final line feed.
    public static func document(_ value: some Encodable) throws -> String {
        try text(value, [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
    }

    /// One line with a line feed, for streams of documents.
    public static func line(_ value: some Encodable) throws -> String {
        try text(value, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
