import RigConfiguration
import Testing

@testable import CameraKit

@Suite("What a camera is set to when it is opened") struct OpeningSettingTests {
    private func read(_ yaml: String) throws -> [String] {
        try YAMLDocument.parse(yaml, file: "agent.yaml") { mapping in
            OpeningSetting.read(from: mapping, named: { $0 != "odd" }, otherwise: "has no such entry")
        }.map { "\($0.name)=\($0.value)" }
    }

    @Test func `Is read in the order of the file, and may be missing`() throws {
        #expect(try read("settings: { iso: \"400\", f-number: f/8 }") == ["iso=400", "f-number=f/8"])
        #expect(try read("{}").isEmpty)
    }

    @Test func `Names of other cameras, too many entries and too long ones are refused`() {
        let many = (0...64).map { "a\($0): x" }.joined(separator: ", ")
        let long = String(repeating: "a", count: 65)
        for (entries, reason) in [
            ("odd: x", "has no such entry"), ("\(long): x", "has no such entry"), (many, "more than 64 entries"),
            ("iso: \(String(repeating: "4", count: 257))", "settings.iso"),
        ] {
            #expect { try read("settings: { \(entries) }") } throws: { "\($0)".contains(reason) }
        }
    }
}
