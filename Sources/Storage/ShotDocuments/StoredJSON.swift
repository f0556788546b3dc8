public import CaptureModel
internal import FoundationEssentials

/// How JSON files are written: people and their tools read them too, so members are sorted, one a line, and a line feed ends
/// the file.
public enum StoredJSON {
    /// - Parameter what: The file, as the beginning of a sentence.
    /// - Throws: `inputOutput`.
    public static func encoded(_ value: some Encodable, _ what: String) throws(CaptureProblem) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw CaptureProblem(.inputOutput, "\(what) cannot be written: \(error)")
        }
    }
}
