import CaptureModel
import Foundation
import Testing

/// The words of `docs/schema/shot-v2.json` and those of the program.
@Suite struct SchemaWordTests {
    private let definitions: [String: [String: Any]]

    init() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let schema = try Data(contentsOf: root.appending(path: "docs/schema/shot-v2.json"))
        let document = try #require(try JSONSerialization.jsonObject(with: schema) as? [String: Any])
        definitions = try #require(document["$defs"] as? [String: [String: Any]])
    }

    @Test func `the schema has the words that manifests have`() throws {
        try expect("status", Shot.Status.self)
        try expect("phase", Capture.Phase.self)
        try expect("outcome", CapturedFile.Outcome.self)
        try expect("problemCode", CaptureProblem.Code.self)
        try expect("mediaType", MediaType.self)
        try expect("pixelFormat", PixelFormat.self)
        try expect("photoCodec", PhotoCodec.self)
        try expect("clipCodec", ClipCodec.self)
        try expect("thumbnailShape", ThumbnailShape.self)
        try expect("flashMode", FlashMode.self)
        try expect("livePhotoRequest", LivePhotoRequest.self)
        try expect("rawPhoto", RawPhoto.self)
        try expect("scope", Selection.Scope.self)
        try expect("silenceCause", ClipSilence.Cause.self)
        try expect("recordingEnd", RecordedMovie.End.self)
        try expect("orientation", Orientation.self)
    }

    @Test func `the schema lets every kind of file pass, and no other`() throws {
        let pattern = try Regex(try #require(definitions["assetKind"]?["pattern"] as? String))
        let numbers = (1...SegmentNumber.limit).compactMap { SegmentNumber($0) }
        for kind in AssetKind.allCases + numbers.flatMap(AssetKind.ofRecording) {
            #expect(try pattern.wholeMatch(in: kind.rawValue) != nil, "\(kind)")
        }
        for word in ["", "photo.1", "photo.6", "movie.01", "movie.1", "movie.100", "preview.2", "Photo"] {
            #expect(try pattern.wholeMatch(in: word) == nil && AssetKind(rawValue: word) == nil, "\(word)")
        }
    }

    private func expect<Words: RawRepresentable & CaseIterable>(_ name: String, _ words: Words.Type) throws
    where Words.RawValue: Hashable {
        let listed = try #require(definitions[name]?["enum"] as? [Words.RawValue], "\(name)")
        #expect(listed == Words.allCases.map(\.rawValue), "\(name)")
    }
}
