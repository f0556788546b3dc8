internal import Foundation

/// JSON as `--format json` prints it: keys sorted, so that equal values give equal text.
enum JSONText {
    /// One document over several lines.
    static func document(_ value: some Encodable) throws -> String {
        try text(value, [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
    }

    /// One line, for streams of documents.
    static func line(_ value: some Encodable) throws -> String {
        try text(value, [.sortedKeys, .withoutEscapingSlashes])
    }

    private static func text(_ value: some Encodable, _ formatting: JSONEncoder.OutputFormatting) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }
}
