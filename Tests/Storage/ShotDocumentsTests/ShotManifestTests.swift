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
        let problem = #expect(throws: DocumentError.self) { try ShotManifest.decode(manifest(3)) }
        #expect(problem?.code == .newerVersion && problem?.description.contains("schema version 3") == true)
    }

    @Test func `a document with a number that JSON does not have is refused by name`() {
        let problem = #expect(throws: DocumentError.self) { try StoredJSON.encoded([Double.nan], "the list of skews") }
        #expect(problem?.code == .unencodable && problem?.operation == "write")
        #expect(problem?.description.hasPrefix("the list of skews cannot be written: ") == true)
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
        let problem = #expect(throws: DocumentError.self) { try ShotManifest.decode(Array(altered.utf8)) }
        #expect(problem?.code == .damaged && problem?.operation == "read")
    }
}

/// Where a value has a nil or an empty list in it.
private func absentParts(of value: Any, at path: String) -> [String] {
    let mirror = Mirror(reflecting: value)
    let isEmpty = mirror.children.isEmpty
    if isEmpty, mirror.displayStyle == .optional || mirror.displayStyle == .collection { return [path] }
    return mirror.children.flatMap { absentParts(of: $0.value, at: "\(path).\($0.label ?? "")") }
}

/// A shot of each kind. What each is written as lies in `Manifests/`, under the name of its case.
enum SampleShots: String, CaseIterable, CustomStringConvertible {
    case open, still, late, missed, failed, bracket, raw, cameraRaw, largerStill, livePhoto, motionPhoto, recording,
        take,
        everything

    struct Malformed: Error {}

    var description: String { rawValue }

    func shot() throws -> Shot {
        switch self {
        case .open: try Self.finished(request: ShotRequest(selection: Selection()), [Self.camera("n1/cam1")], as: .open)
        case .still: try Self.stills
        case .late: try Self.lateStill
        case .missed: try Self.missedStill
        case .failed: try Self.failedStill
        case .bracket: try Self.bracketShot
        case .raw: try Self.rawShot
        case .cameraRaw: try Self.cameraRawShot
        case .largerStill: try Self.shotBeyondTheStream
        case .livePhoto: try Self.live(motionPhoto: nil)
        case .motionPhoto: try Self.live(motionPhoto: true)
        case .recording: try Self.recordingTake
        case .take: try Self.settledTake
        case .everything: try Self.shotWithEverything
        }
    }

    static let time = RigTime(nanoseconds: 9_007_199_254_740_993)

    static func problem(_ code: RigProblem.Code) -> RigProblem {
        RigProblem(code, "n1/cam1 says \"no\" / öäü\n")
    }

    static let format = VideoFormat(
        pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .nanoseconds(33_366_667))

    static let timing = FrameTiming(
        sequence: .max, localMidExposure: LocalTime(nanoseconds: .min),
        midExposure: BoundedRigTime(time: time + .milliseconds(1), bound: .microseconds(120)),
        skewNanoseconds: -1_234_567, exposureNanoseconds: 10_000_000, dequeued: RigTime(nanoseconds: .max))

    static var resolved: ResolvedPhotoSettings {
        ResolvedPhotoSettings(
            width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
    }

    /// A camera of which nothing is known yet.
    static func camera(_ id: String, kinds: [AssetKind] = [.photo]) throws -> Capture {
        Capture(
            device: DeviceDescription(
                id: try DeviceID(id), type: .wide, position: Position(rawValue: "left"), labels: ["set", "A"],
                purpose: "overview / door", driver: "virtual"),
            kinds: kinds)
    }

    /// A camera whose files are in the library.
    static func done(_ id: String, kinds: [AssetKind] = [.photo]) throws -> Capture {
        var capture = try camera(id, kinds: kinds)
        capture.phase = .done
        capture.resolved = resolved
        capture.timing = timing
        for index in capture.files.indices { try store(&capture.files[index], of: capture.device.id) }
        return capture
    }

    static func store(_ file: inout CapturedFile, of device: DeviceID) throws {
        guard let digest = ContentDigest(bytes: (0..<32).map { UInt8($0 * 8) }) else { throw Malformed() }
        file.outcome = .done
        file.path = "\(device.folderName)/\(file.kind.fileName)"
        file.byteCount = 9_007_199_254_740_995
        file.digest = digest
        file.storedAt = time + .milliseconds(210)
    }

    static func finished(request: ShotRequest, _ captures: [Capture], as status: Shot.Status = .complete) throws -> Shot
    {
        guard let id = ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"), let epoch = Epoch(rawValue: 0xAB) else {
            throw Malformed()
        }
        var shot = Shot(
            id: id, time: time, rigClock: RigClockID(rawValue: "40fa173e.4026532185.0.0"),
            wallClock: WallClockPair(monotonic: time - .seconds(1), realtimeNanoseconds: 1_795_256_143_250_000_000),
            coordinatorEpoch: epoch, request: request, captures: captures)
        shot.status = status
        shot.revision = 3
        if status != .open { shot.settledAt = time + .milliseconds(250) }
        return shot
    }
}
