import CaptureModel
import Foundation
import ShotDocuments
import Testing

@Suite struct ShotManifestTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Manifests")

    /// A manifest as it lies beside this file.
    private func written(_ kind: SampleShots) throws -> String {
        String(decoding: try Data(contentsOf: Self.folder.appending(path: "\(kind).json")), as: UTF8.self)
    }

    @Test(arguments: SampleShots.allCases)
    func `the manifest of a shot of each kind is the same, bit for bit, in every program`(_ kind: SampleShots) throws {
        let manifest = String(decoding: try ShotManifest(shot: kind.shot()).encoded(), as: UTF8.self)
        #expect(try manifest == written(kind))
    }

    @Test(arguments: SampleShots.allCases)
    func `a shot is read from its manifest as it was`(_ kind: SampleShots) throws {
        #expect(try ShotManifest.decode(Array(written(kind).utf8)) == kind.shot())
    }

    @Test func `no part of a shot is missing in its manifest`() throws {
        // With `a shot is read from its manifest as it was`: a member that the document lacks would be nil.
        #expect(absentParts(of: try SampleShots.everything.shot(), at: "shot") == [])
    }

    @Test func `an answer of capctl has the manifest without its dates`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let document = try encoder.encode(ShotDocument(SampleShots.everything.shot()))
        let manifest = try written(.everything).split(separator: "\n").filter { !$0.contains("ISO8601\"") }
        #expect(String(decoding: document, as: UTF8.self) == manifest.joined(separator: "\n"))
    }

    @Test func `a member that a later program has added does not hide a shot`() throws {
        let text = try written(.still).replacing("\"revision\" : 3", with: "\"mood\" : {}, \"revision\" : 3")
        #expect(try ShotManifest.decode(Array(text.utf8)) == SampleShots.still.shot())
    }

    @Test func `an earlier version is read and keeps its number, a later one is refused`() throws {
        func manifest(_ version: Int) throws -> [UInt8] {
            Array(try written(.still).replacing("\"schemaVersion\" : 2", with: "\"schemaVersion\" : \(version)").utf8)
        }
        var earlier = try SampleShots.still.shot()
        earlier.schemaVersion = 1
        #expect(try ShotManifest.decode(manifest(1)) == earlier)
        let problem = #expect(throws: CaptureProblem.self) { try ShotManifest.decode(manifest(3)) }
        #expect(problem?.code == .corrupted && problem?.message.contains("schema version 3") == true)
    }

    @Test(
        arguments: [
            ("\"kind\" : \"photo\"", "\"kind\" : \"fotograph\""), ("\"phase\" : \"done\"", "\"phase\" : \"finished\""),
            ("\"all\" : {", "\"some\" : {"), ("\"soon\" : {", "\"relative\" : {}, \"soon\" : {"),
            ("\"name\" : \"anna@studio-1\"", "\"name\" : \"\""), ("\"time\" : 9007199254740993", "\"time\" : 0.5"),
            ("n1/cam1", "../cam1"), ("\"revision\" : 3", "\"revision\" : null"),
        ]) func `a manifest that says what it cannot say is damaged`(_ text: String, _ other: String) throws
    {
        let manifest = try written(.still)
        let altered = manifest.replacing(text, with: other)
        try #require(altered != manifest)
        let problem = #expect(throws: CaptureProblem.self) { try ShotManifest.decode(Array(altered.utf8)) }
        #expect(problem?.code == .corrupted)
    }
}

/// Where a value has a nil or an empty list in it.
private func absentParts(of value: Any, at path: String) -> [String] {
    let mirror = Mirror(reflecting: value)
    let isEmpty = mirror.children.isEmpty
    if isEmpty, mirror.displayStyle == .optional || mirror.displayStyle == .collection { return [path] }
    return mirror.children.flatMap { absentParts(of: $0.value, at: "\(path).\($0.label ?? "")") }
}
