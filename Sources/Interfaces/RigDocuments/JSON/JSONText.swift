internal import CaptureModel
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
        return escaped(String(decoding: try encoder.encode(value), as: UTF8.self)) + "\n"
    }

    /// Replaces each character that is not printable, other than those that the encoder has written between members, by
    /// its escape. They occur in texts alone, where the escape means the same.
    public static func escaped(_ json: String) -> String {
        // Most documents have none, and are found to by their bytes.
        guard json.utf8.contains(where: { $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }) else { return json }
        return json.unicodeScalars.map { isEscaped($0) ? $0.shortEscape : String($0) }.joined()
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool { scalar.isUnprintable && scalar.value > 0x1F }
}
