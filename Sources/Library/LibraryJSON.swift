internal import CaptureModel
internal import FoundationEssentials

/// How the JSON files of a library and its exports are written: for people and their tools too, so members are sorted, one a
/// line.
enum LibraryJSON {
    /// - Parameter what: The file, as the beginning of a sentence.
    static func encoded(_ value: some Encodable, _ what: String) throws(CaptureProblem) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            throw CaptureProblem(.inputOutput, "\(what) cannot be written: \(error)")
        }
    }
}
