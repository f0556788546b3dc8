import CaptureModel
import CaptureTestSupport
import Export
import FolderStore
import Foundation
import PosixSupport
import StorageConformance
import StorageKit
import Testing

/// Takes as editing programs get them. What other programs make of the files: `Tests/Interop/test_timeline.py`.
@Suite struct TimelineTests {
    private let folder: TemporaryFolder
    private let outside: TemporaryFolder
    private let library: FolderStore
    private let reader: FolderReader

    init() throws {
        folder = try TemporaryFolder()
        outside = try TemporaryFolder()
        library = try Samples.library(folder)
        reader = try FolderReader(folder: folder.path)
    }

    /// A sidecar with two frames, the first of them so much after T.
    private static func sidecar(_ first: Int64, _ header: String = #""timecode":"10:11:00;02""#) -> String {
        """
        {"schemaVersion":1,"timeScale":90000,"segment":1,"segmentStart":0,"camera":"cam",\(header)}
        {"presentationTime":\(first),"rigTimeNanoseconds":0}
        {"mark":"go","presentationTime":\(first + 1)}
        {"presentationTime":\(first + 3003),"rigTimeNanoseconds":0}

        """
    }

    /// That of a further file, which begins so long after T.
    private static func sidecar(_ segment: Int, from start: Int64) -> String {
        sidecar(0).replacing(
            "\"segment\":1,\"segmentStart\":0", with: "\"segment\":\(segment),\"segmentStart\":\(start)"
        )
        .replacing("10:11:00;02", with: "10:11:00;0\(2 * segment)")
    }

    /// A take of two cameras of 29.97 frames a second, with these sidecars.
    private func store(_ sidecars: [String: String]) async throws {
        try await store(sidecars.mapValues { [$0] })
    }

    /// As above, of recordings in several files.
    /// - Parameter movies: What is told of the movies of some cameras.
    private func store(_ sidecars: [String: [String]], movies: [String: RecordedMovie] = [:]) async throws {
        var shot = try Samples.shot()
        shot.request.settings = PhotoSettings(movie: MovieSettings())
        shot.take = Take(marks: [TakeMark(id: 1, time: shot.time + .milliseconds(250), text: "a < \"b\" & c\u{1}")])
        let format = VideoFormat(
            pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .nanoseconds(33_366_667))
        for index in shot.captures.indices {
            let device = shot.captures[index].device
            let count = sidecars[device.id.description]?.count ?? 0
            let segments = (1...max(count, 1)).compactMap { SegmentNumber($0) }
            shot.captures[index] = Capture(device: device, kinds: segments.flatMap(AssetKind.ofRecording))
            shot.captures[index].resolved = ResolvedPhotoSettings(
                width: 640, height: 360, streamFormat: format, isCameraEncoded: true, orientation: .degrees0)
            shot.captures[index].movie = movies[device.id.description]
        }
        try await library.write(shot)
        for index in shot.captures.indices {
            let device = shot.captures[index].device.id
            let texts = try #require(sidecars[device.description])
            let contents = texts.flatMap { [Samples.bytes(3000), Array($0.utf8)] }
            for (place, bytes) in contents.enumerated() {
                let key = FileKey(
                    capture: CaptureKey(shot: shot.id, device: device), kind: shot.captures[index].files[place].kind)
                try await library.collect(key, bytes)
                shot.captures[index].files[place].outcome = .done
                shot.captures[index].files[place].byteCount = Int64(bytes.count)
                shot.captures[index].files[place].digest = try Samples.digest(bytes)
            }
            shot.captures[index].phase = .done
        }
        shot.status = .complete
        try await library.write(shot)
        _ = try await library.notes.edit(shot.id, ShotAnnotationEdit(title: "Jump", note: "one\ntwo"))
    }

    private func export() async throws -> ExportReport {
        try await reader.export([Samples.shotID()], as: .timeline, to: outside.path + "/set", linking: false)
    }

    private func text(_ ending: String) throws -> String {
        try String(contentsOfFile: "\(outside.path)/set/\(Samples.shotID()).\(ending)", encoding: .utf8)
    }

    @Test func `cameras are shifted against each other, or a mark is lost`() async throws {
        try await store([
            "north/cam1": Self.sidecar(842, #""timecode":"10:11:00;02","sampleRate":48000,"channelCount":1"#),
            "south/cam1": Self.sidecar(0),
        ])
        #expect(try await export().isComplete)
        let xml = try text("fcpxml")
        // 10:11:00;02 is frame 1098702 of the day: 611 minutes of 1800 and 2, less 2 for each of 550 minutes.
        #expect(xml.contains(#"start="183300117/5000s" duration="1001/15000s""#))
        #expect(xml.contains(#"<gap name="Gap" offset="0s" start="0s" duration="421/45000s"/>"#))
        #expect(xml.contains(#"offset="421/45000s" start="824850737/22500s" duration="1001/15000s""#))
        #expect(xml.contains(#"src="./north.cam1/\#(Samples.shotID()).movie.mov""#))
        #expect(
            xml.contains(
                #"<marker start="1/4s" duration="1001/30000s" value="a &lt; &quot;b&quot; &amp; c\#u{FFFD}"/>"#))
        #expect(xml.contains("<note>one&#10;two</note>"))
        let otio = try text("otio")
        #expect(otio.contains(#""firstFrame" : "421/45000s""#) && otio.contains(#""note" : "one\ntwo""#))
    }

    @Test("A camera that delivered 7.5 frames per second has frames of 2/15 s, and the time code that its file counts")
    func dimLight() async throws {
        // The recorder counts whole frames per second: 8.
        let slow = Self.sidecar(0, #""frameRate":"1000000000/133333333","timecode":"10:11:00:02""#)
            .replacing("3003", with: "12000")
        try await store(
            ["north/cam1": [Self.sidecar(842)], "south/cam1": [slow]],
            movies: [
                "south/cam1": RecordedMovie(frameCount: 76, durationNanoseconds: 10_000_000_000, end: .stopped)
            ])
        #expect(try await export().isComplete)
        let xml = try text("fcpxml")
        #expect(xml.contains(#"<format id="format0" frameDuration="1001/30000s""#))
        #expect(xml.contains(#"<format id="format1" frameDuration="2/15s""#))
        let south = xml.components(separatedBy: "<mc-angle")[2]
        // 10:11:00 and two frames of 1/8 s.
        #expect(south.contains(#"start="146641/4s""#) && south.contains(#"tcFormat="NDF""#), "\(south)")
        #expect(try text("otio").contains(#""rate" : 7.5"#))
    }

    @Test func `files of a recording lie over one another, or with a gap between them`() async throws {
        // The second camera has lost its second file.
        try await store([
            "north/cam1": [Self.sidecar(842), Self.sidecar(2, from: 90_000), Self.sidecar(3, from: 180_000)],
            "south/cam1": [Self.sidecar(0), "\n", Self.sidecar(3, from: 180_000)],
        ])
        let report = try await export()
        #expect(report.files.filter { $0.reason != nil }.map(\.kind.rawValue) == ["movie.02"])
        let xml = try text("fcpxml")
        #expect(xml.contains(#"src="./north.cam1/\#(Samples.shotID()).movie.03.mov""#))
        let north = xml.components(separatedBy: "<mc-angle")[1]
        #expect(north.components(separatedBy: "<gap").count == 2, "only before the first frame: \(north)")
        for (offset, duration) in [("421/45000s", "44579/45000s"), ("1s", "1s"), ("2s", "1001/15000s")] {
            #expect(north.contains("offset=\"\(offset)\""), "\(offset)")
            #expect(north.contains("duration=\"\(duration)\" format"), "\(duration)")
        }
        // 10:11:00;04 is frame 1098704, and the clip begins with its first frame.
        #expect(north.contains("ref=\"movie0.2\"") && north.contains("start=\"68737669/1875s\""))
        let south = xml.components(separatedBy: "<mc-angle")[2]
        #expect(
            south.contains(#"<gap name="Gap" offset="1001/15000s" start="0s" duration="28999/15000s"/>"#), "\(south)")
        #expect(try text("otio").components(separatedBy: "Clip.1").count == 6)
    }

    @Test(arguments: [
        "", "{}", "no sidecar\n", Self.sidecar(1 << 35),
        Self.sidecar(5).replacing(#""timeScale":90000"#, with: #""timeScale":0"#),
        #"{"schemaVersion":1,"timeScale":90000}"# + "\n",
    ])
    func `a movie whose sidecar is damaged is put somewhere, or its camera missing is not said`(text: String)
        async throws
    {
        try await store(["north/cam1": Self.sidecar(842), "south/cam1": text.isEmpty ? "\n" : text])
        let report = try await export()
        #expect(!report.isComplete && report.files.allSatisfy(\.outcome.isThere))
        #expect(report.files.filter { $0.reason != nil }.map(\.device.description) == ["south/cam1"])
        let xml = try self.text("fcpxml")
        #expect(xml.contains("north.cam1") && !xml.contains("south.cam1"))
    }

    @Test func `a shot gets a timeline of nothing`() async throws {
        try await library.write(Samples.shot())
        let problem = await #expect(throws: ExportError.self) { try await export() }
        #expect(problem?.code == .conflict && problem?.description.contains("only takes") == true)
        #expect(try outside.names() == [])
    }
}
