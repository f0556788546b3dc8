import CaptureModel
import CaptureTestSupport
import Foundation
import ShotDocuments
import Testing

/// The schemas of `docs/schema`, and the words and members of the program.
@Suite struct SchemaWordTests {
    /// Of `shot-request-v1.json`, and of `shot-v2.json` what the former does not have.
    private let definitions: [String: [String: Any]]
    private let request: [String: Any]

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/schema")
        func schema(_ name: String) throws -> [String: Any] {
            let bytes = try Data(contentsOf: folder.appending(path: name))
            return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        }
        let (request, shot) = (try schema("shot-request-v1.json"), try schema("shot-v2.json"))
        let definitions = try [request, shot].map { try #require($0["$defs"] as? [String: [String: Any]]) }
        self.definitions = definitions[0].merging(definitions[1]) { own, _ in own }
        self.request = request
    }

    @Test func `the schema of requests has the members that requests have`() throws {
        let complete = try SampleShots.everything.shot().request
        try expectMembers(of: complete, request)
        try expectMembers(of: complete.selection, definition("selection"))
        try expectMembers(of: complete.settings, definition("photoSettings"))
        try expectMembers(of: complete.settings.movie, definition("movieSettings"))
        try expectMembers(of: complete.settings.bracket?.first, definition("bracketStep"))
        try expectMembers(of: complete.settings.rawThumbnail, definition("rawThumbnailFormat"))
        try expectMembers(of: complete.settings.maxPhotoDimensions, definition("pixelSize"))
        try expectMembers(of: complete.limits, definition("timingLimits"))
        try expectMembers(of: TypeAndPosition(type: .wide), definition("typeAndPosition"))
        let times: [RequestedTime] = [
            .soon(lead: 1, exact: true), .relative(nanoseconds: 1), .absolute(realtimeNanoseconds: 1),
        ]
        try expectCases(times, definition("time"))
        let choices: [Selection.Choice] = [.all, .matching([]), .first([], per: .rig)]
        try expectCases(choices, definition("choice"))
    }

    @Test func `the schema of requests has what a request omits as it is read`() throws {
        let settings = try #require(try definition("photoSettings")["default"] as? [String: String])
        #expect(try members(of: PhotoSettings.usual) as? [String: String] == settings)
        let time = try #require(try definition("time")["default"] as? [String: [String: String]])
        #expect(try members(of: RequestedTime.soon(lead: nil)) as? [String: [String: String]] == time)
    }

    @Test func `the schema has the members of what a manifest says of its timing`() throws {
        let complete = try SampleShots.everything.shot()
        try expectMembers(of: complete.prediction, definition("prediction"))
        try expectMembers(of: complete.simultaneity, definition("simultaneity"))
    }

    private func definition(_ name: String) throws -> [String: Any] { try #require(definitions[name], "\(name)") }

    private func members(of value: some Encodable) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)) as? [String: Any])
    }

    /// - Parameter value: One without a nil.
    private func expectMembers(of value: some Encodable, _ schema: [String: Any]) throws {
        let properties = try #require(schema["properties"] as? [String: Any])
        #expect(try members(of: value).keys.sorted() == properties.keys.sorted())
        #expect(schema["additionalProperties"] as? Bool == false)
    }

    /// Checks that a value has one of several cases, each an object with one member.
    private func expectCases(_ cases: [some Encodable], _ schema: [String: Any]) throws {
        let alternatives = try #require(schema["oneOf"] as? [[String: Any]])
        try #require(alternatives.count == cases.count)
        for (one, alternative) in zip(cases, alternatives) {
            try expectMembers(of: one, alternative)
            let name = try #require(try members(of: one).keys.first)
            let inner = try #require((alternative["properties"] as? [String: [String: Any]])?[name])
            let written = try #require(try members(of: one)[name] as? [String: Any])
            #expect(try written.keys.sorted() == #require(inner["properties"] as? [String: Any]).keys.sorted())
        }
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
        try expect("onExcess", TimingLimits.OnExcess.self)
        try expect("timingLimit", TimingLimits.Limit.self)
        try expect("stampOrigin", StampOrigin.self)
    }

    @Test func `the schema lets every kind of file pass, and no other`() throws {
        let pattern = try Regex(try #require(definitions["assetKind"]?["pattern"] as? String))
        let numbers = (1...SegmentNumber.limit).compactMap { SegmentNumber($0) }
        let raws = CameraRawFormat.allCases.map(AssetKind.cameraRaw)
        for kind in AssetKind.allCases + numbers.flatMap(AssetKind.ofRecording) + raws {
            #expect(try pattern.wholeMatch(in: kind.rawValue) != nil, "\(kind)")
        }
        for word in [
            "", "photo.1", "photo.6", "movie.01", "movie.1", "movie.100", "preview.2", "Photo",
            "cameraRaw", "cameraRaw.", "cameraRaw.NEF", "cameraRaw.jpg", "cameraRaw.nef.nef", "alternatePhoto.nef",
        ] {
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
