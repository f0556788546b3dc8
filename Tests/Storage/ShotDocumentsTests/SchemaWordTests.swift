import CaptureModel
import CaptureTestSupport
import Foundation
import ShotDocuments
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
        try expect("problemCode", RigProblem.Code.self)
        try expect("mediaType", MediaType.self)
        try expect("pixelFormat", PixelFormat.self)
        try expect("photoCodec", PhotoCodec.self)
        try expect("clipCodec", ClipCodec.self)
        try expect("thumbnailShape", ThumbnailShape.self)
        try expect("flashMode", FlashMode.self)
        try expect("livePhotoRequest", LivePhotoRequest.self)
        try expect("rawPhoto", RawPhoto.self)
        try expect("rawThumbnailCodec", RawThumbnailFormat.Codec.self)
        try expect("scope", Selection.Scope.self)
        try expect("silenceCause", ClipSilence.Cause.self)
        try expect("recordingEnd", RecordedMovie.End.self)
        try expect("orientation", Orientation.self)
        try expect("claim", DoubtedClaim.Claim.self)
        try expect("claimVerdict", DoubtedClaim.Verdict.self)
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

/// Manifests of the libraries that earlier programs have left: `Tests/Fixtures`.
@Suite struct EarlierManifestTests {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Fixtures")

    @Test(
        .enabled(if: ExternalTool.isExpected("xz")),
        arguments: [("settled", 9), ("open-shots", 6), ("spools", 5), ("placed", 1), ("kept", 2)])
    func `a manifest that an earlier program has written is written again bit for bit`(_ name: String, _ count: Int)
        throws
    {
        let folder = try TemporaryFolder()
        let archive = Self.fixtures.appending(path: "\(name).tar.xz").path(percentEncoded: false)
        let outcome = try ExternalTool.run(
            "tar", "-xJf", archive, "-C", folder.path, "--wildcards", "*/shot.json", "*/take.json")
        // tar fails where one of the patterns has no match.
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        let manifests = paths.filter { $0.hasSuffix("/shot.json") || $0.hasSuffix("/take.json") }
        try #require(manifests.count == count, "\(outcome.output)")
        for path in manifests {
            let bytes = try folder.read(path)
            let again = try ShotManifest(shot: ShotManifest.decode(bytes)).encoded()
            #expect(String(decoding: again, as: UTF8.self) == String(decoding: bytes, as: UTF8.self), "\(path)")
        }
    }
}
