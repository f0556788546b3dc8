import RigDocuments
import Testing

@Suite struct Integer64Tests {
    @Test(
        "Writes an integer digit by digit, as a string",
        arguments: [
            (Integer64(Int64(9_007_199_254_740_993)), "9007199254740993"),
            (Integer64(Int64.max), "9223372036854775807"), (Integer64(Int64.min), "-9223372036854775808"),
            (Integer64(UInt64.max), "18446744073709551615"), (Integer64(0), "0"), (Integer64(-1), "-1"),
        ])
    func digits(_ integer: Integer64, _ text: String) throws {
        #expect(try JSONText.line([integer]) == "[\"\(text)\"]\n")
    }

    @Test("Sorts members, and leaves slashes as they are") func text() throws {
        #expect(try JSONText.line(["b": "n1/cam1", "a": ""]) == "{\"a\":\"\",\"b\":\"n1/cam1\"}\n")
        #expect(try JSONText.document(["b": 1, "a": 2]) == "{\n  \"a\" : 2,\n  \"b\" : 1\n}\n")
    }
}
