import Foundation
import RigDocuments
import Testing

@Suite struct JSONTextTests {
    @Test func `Escapes what would act on a terminal or a page, and means the same`() throws {
        let text = "a\u{202E}b\u{2069}c\u{2028}d\u{9B}e\u{7F}f\u{1B}g\u{20AC}ä🌙\"\\"
        let line = try JSONText.line(["model": text])
        #expect(
            line == #"{"model":"a\u202eb\u2069c\u2028d\u009be\u007ff\u001bg€ä🌙\"\\"}"# + "\n")
        let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
        #expect(read == ["model": text])
        #expect(try !JSONText.document(["model": text]).unicodeScalars.contains("\u{202E}"))
    }

    @Test func `Leaves other texts as they are`() throws {
        #expect(try JSONText.line(["a": "€ “quoted” Â"]) == "{\"a\":\"€ “quoted” Â\"}\n")
    }
}
