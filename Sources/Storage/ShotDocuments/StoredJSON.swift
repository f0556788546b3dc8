public import CaptureModel
internal import FoundationEssentials

/// The form of JSON files. People and their tools read them too, so members are sorted, each on its own line, and a line feed ends the
/// file.
public enum StoredJSON {
    /// - Parameter what: The file's name in error messages, as the beginning of a sentence.
    /// - Throws: `unencodable`.
    public static func encoded(_ value: some Encodable, _ what: String) throws(DocumentError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw DocumentError(.unencodable, "write", what, "\(what) cannot be written: \(error)")
        }
    }
}
