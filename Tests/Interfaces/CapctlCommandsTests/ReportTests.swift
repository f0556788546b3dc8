import CaptureModel
import CaptureTestSupport
import Foundation
import RigClient
import ShotDocuments
import Testing

@testable import CapctlCommands
@testable import Previews
@testable import RigDocuments

@Suite struct ReportTests {
    @Test func aShotReadsAsATableWithItsSummary() throws {
        let report = ShotReport(try SampleShot().shot, folder: "/library/2026/11/21/x")
        #expect(
            report.table == """
                CAMERA   OUTCOME      SKEW  BOUND      FILE               PROBLEM
                n1/cam1  done     +1.20 ms  ± 0.10 ms  n1.cam1/photo.jpg
                n2/cam1  done     -0.80 ms  ± 0.30 ms  n2.cam1/photo.jpg
                n3/cam1  missed          -  -          -                  n3 is not connected; start its agent
                partial: 2 of 3 stills, spread 2.00 ms ± 0.40 ms (n2/cam1 to n1/cam1), worst skew +1.20 ms, worst bound 0.30 ms
                shot 019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50
                /library/2026/11/21/x

                """)
    }

    @Test func `A shot of which only the id is printed tells of each file that is not stored`() throws {
        let report = ShotReport(try SampleShot().shot, folder: "/x")
        #expect(report.names == ["019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"])
        #expect(report.failures == ["n3/cam1 photo: missed: n3 is not connected; start its agent"])
    }

    @Test func `No text of a node turns or breaks the lines of a terminal`() {
        let hostile = "a\u{202E}b\u{2067}c\u{2029}d"
        let table = Table(columns: [Table.Column("MODEL"), Table.Column("REASON")], rows: [[hostile, hostile]])
        #expect(table.rendered() == "MODEL    REASON\na b c d  a b c d\n")
        // Texts outside tables, with what capctl itself writes for a terminal.
        #expect("\r\u{1B}[2K\(hostile)\n".withoutTurns == "\r\u{1B}[2Ka\u{FFFD}b\u{FFFD}c\u{FFFD}d\n")
    }

    @Test("Counts HEIC files, motion photos and raw files by kind")
    func counts() throws {
        var shot = try SampleShot().shot
        let kinds: [AssetKind] = [
            .photo, .photo2, .preview, .alternatePhoto, .photoHEIC, .pairedVideo, .motionPhoto,
        ]
        for index in 0..<2 {
            shot.captures[index].files = kinds.map { kind in
                var file = CapturedFile(kind: kind)
                if index == 0 || kind == .photo { (file.outcome, file.path) = (.done, "x/\(kind.fileName)") }
                return file
            }
        }
        let report = ShotReport(shot, folder: "/x")
        #expect(
            report.table.contains(
                "\npartial: 3 of 5 stills, 1 of 2 raw files, 1 of 2 HEIC files, 1 of 2 clips, 1 of 2 motion photos, spread"
            ))
        #expect(
            report.document.counts.map { [$0.sort.rawValue, "\($0.stored)", "\($0.expected)"] } == [
                ["stills", "3", "5"], ["raws", "1", "2"], ["heics", "1", "2"], ["clips", "1", "2"],
                ["motionPhotos", "1", "2"],
            ])
        shot.captures = [shot.captures[0]]
        shot.captures[0].files.removeAll { $0.kind != .alternatePhoto }
        #expect(
            ShotReport(shot, folder: "/x").table.contains("\npartial: 1 of 1 raw files, worst"),
            "no stills were asked for")
        shot.captures[0].files[0].kind = .cameraRaw(.nef)
        #expect(ShotReport(shot, folder: "/x").table.contains("\npartial: 1 of 1 raw files, worst"))
    }

    @Test func `a shot's report names who triggered it, and nobody where the manifest does not say`() throws {
        var shot = try SampleShot().shot
        #expect(!ShotReport(shot, folder: "/x").table.contains("triggered by"))
        shot.triggeredBy = Principal(claimed: "anna@studio-1")
        #expect(ShotReport(shot, folder: "/x").table.contains("\n/x\ntriggered by anna@studio-1\n"))
    }

    @Test func `capctl says who runs it`() throws {
        let name = RigTarget.accountName
        #expect(Principal(claimed: name) != nil && name.split(separator: "@").count == 2, "\(name)")
    }

    @Test("Counts only stills as stills, on disk and in manifests")
    func demo() throws {
        let folder = try TemporaryFolder()
        var shot = try SampleShot().shot
        shot.captures = [shot.captures[0]]
        let kinds: [AssetKind] = [.photo, .preview, .alternatePhoto, .photoHEIC, .pairedVideo, .motionPhoto]
        shot.captures[0].files = kinds.map { kind in
            var file = CapturedFile(kind: kind)
            (file.outcome, file.path) = (.done, "n1.cam1/\(kind.fileName)")
            return file
        }
        let camera = folder.url.appending(path: "n1.cam1")
        try FileManager.default.createDirectory(at: camera, withIntermediateDirectories: false)
        for kind in kinds { try Data([1]).write(to: camera.appending(path: kind.fileName)) }
        let stored = StoredStills(of: shot, in: folder.path)
        #expect(stored.found == ["n1.cam1/photo.jpg"] && stored.isExactlyOnce)
        let counts = FileCount.sum([shot, shot].flatMap { ShotFigures($0).files })
        #expect(
            counts.map(\.text) == [
                "2 of 2 stills", "2 of 2 raw files", "2 of 2 HEIC files", "2 of 2 clips", "2 of 2 motion photos",
            ])
    }

    @Test("Counts a clip as one with sound if it is stored and its sound has no gap")
    func clipSound() throws {
        var capture = try SampleShot().shot.captures[0]
        var file = CapturedFile(kind: .pairedVideo)
        (file.outcome, file.path) = (.done, "n1.cam1/pairedVideo.mov")
        capture.files.append(file)
        let size = PixelSize(width: 1280, height: 720)
        capture.resolved = ResolvedPhotoSettings(
            width: size.width, height: size.height,
            streamFormat: VideoFormat(
                pixelFormat: .mjpeg, width: size.width, height: size.height, frameInterval: .milliseconds(33)),
            isCameraEncoded: true, orientation: .degrees0)
        capture.resolved?.livePhoto = LivePhotoMovie(dimensions: size, hasSound: true)
        #expect(!capture.hasSound, "nothing is known of the clip yet")
        let start = BoundedRigTime(time: RigTime(nanoseconds: 0), bound: .zero)
        capture.clip = ClipTiming(
            localStart: LocalTime(nanoseconds: 0), start: start, frameOffsets: [0], stillFrame: 0,
            durationNanoseconds: 33_000_000, missingFrames: 0)
        #expect(capture.hasSound)
        capture.clip?.silences = [ClipSilence(startNanoseconds: 0, durationNanoseconds: 1, cause: .overrun)]
        #expect(!capture.hasSound)
        capture.clip?.silences = []
        capture.resolved?.livePhoto?.hasSound = false
        #expect(!capture.hasSound)
        capture.resolved?.livePhoto?.hasSound = true
        capture.files[1].outcome = .failed
        #expect(!capture.hasSound)
    }

    @Test("Counts cameras in lists of shots and takes")
    func lists() throws {
        let shot = ShotSummary(
            id: try SampleShot().shot.id, status: .partial, realtimeNanoseconds: 0, expected: 3, done: 2, folder: "f",
            title: "")
        let list = ShotList(shots: [shot], damaged: [], moreDamaged: 0)
        for table in [ShotListReport(list: list).table, TakeListReport(list: list).table] {
            let lines = table.split(separator: "\n")
            #expect(lines[0].contains("STATUS   CAMERAS  FOLDER") && lines[1].contains("partial      2/3  f"))
        }
    }

    @Test("Reports in sentences what previews were made of, and what has none")
    func previews() throws {
        var result = PreviewRebuilding.Result()
        #expect(PreviewsReport(result: result).table == "no thumbnail or preview is missing\n")
        result.made = 1
        #expect(PreviewsReport(result: result).table == "made the thumbnail and preview of 1 file\n")
        let key = FileKey(
            capture: CaptureKey(shot: try SampleShot().shot.id, device: try DeviceID("n1/cam1")), kind: .photo)
        result.problems = [.init(key: key, reason: "no JPEG")]
        #expect(
            PreviewsReport(result: result).table == """
                \(key): no JPEG
                made the thumbnail and preview of 1 file
                1 file cannot be read, for the reasons above

                """)
    }

    @Test("Reports what a larger still has cost its stream") func gaps() throws {
        var shot = try SampleShot().shot
        for (index, length) in [(0, Int64?(812_000_000)), (1, nil)] {
            shot.captures[index].resolved = ResolvedPhotoSettings(
                width: 2560, height: 1440,
                streamFormat: VideoFormat(pixelFormat: .mjpeg, width: 1280, height: 720, frameInterval: .seconds(1)),
                isCameraEncoded: true, orientation: .degrees0)
            shot.captures[index].streamGap = StreamGap(localStart: LocalTime(nanoseconds: 1), nanoseconds: length)
        }
        let table = ShotReport(shot, folder: "/library/x").table
        #expect(table.contains("n1/cam1 left its stream for 812 ms, for a still of 2560x1440\n"))
        #expect(table.contains("n2/cam1 left its stream and had not returned, for a still of 2560x1440\n"))
    }

    @Test("Names the cameras that were left out") func leftOut() throws {
        var report = ShotReport(try SampleShot().shot, folder: "/library/x")
        report.leftOut = LeftOutDevices([try DeviceID("n1/old")])
        #expect(
            report.table.hasSuffix(
                "omitted: n1/old is no longer configured by its node; remove it with `capctl devices forget n1/old`, or configure it again\n"
            ))
        let document =
            try JSONSerialization.jsonObject(with: Data(try report.rendered(as: .json).utf8)) as? [String: Any]
        #expect((document?["notConfigured"] as? [String]) == ["n1/old"])
    }

    @Test("Reports a clip whose microphone fell silent") func silences() throws {
        var shot = try SampleShot().shot
        shot.request.settings.livePhoto = .whereEnabled
        shot.captures[0].clip = ClipTiming(
            localStart: LocalTime(nanoseconds: 0), start: BoundedRigTime(time: shot.time, bound: .zero),
            frameOffsets: [0], stillFrame: 0, durationNanoseconds: 3_000_000_000, missingFrames: 0,
            silences: [
                ClipSilence(startNanoseconds: 1_000_000_000, durationNanoseconds: 2_000_000_000, cause: .notOpen)
            ])
        let text = ShotReport(shot, folder: "/x").table
        #expect(text.contains("n1/cam1: the clip is silent for"))
        #expect(text.contains("the microphone was not running"))
    }

    @Test("Says which frames may have settings of before or after a change") func changes() throws {
        var shot = try SampleShot().shot
        let revision = try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"))
        shot.captures[0].timing?.settings = .inForce(revision)
        #expect(!ShotReport(shot, folder: "/x").table.contains("settings"))
        shot.captures[1].timing?.settings = .changing(from: nil, to: revision)
        #expect(
            ShotReport(shot, folder: "/x").table.contains(
                "\nn2/cam1: its frame may have the settings before settings transaction \(revision), or those after it\n"
            ))
        shot.captures[1].timing?.settings = .changing(from: revision, to: revision)
        #expect(
            ShotReport(shot, folder: "/x").table.contains(
                "\nn2/cam1: its frame may have the settings of settings transaction \(revision), or those of a flash or bracket\n"
            ))
    }

    @Test func aCameraWithoutARawFileIsNamed() throws {
        var shot = try SampleShot().shot
        shot.request.settings.raw = .withPhotoWhereEnabled
        shot.captures[1].rawNote = "no RAW: not enabled"
        #expect(ShotReport(shot, folder: "/x").table.contains("\nn2/cam1: no RAW: not enabled\n"))
    }

    @Test func aShotAsJSONHasItsManifestAndItsFilesWithAbsolutePaths() throws {
        let text = try ShotReport(try SampleShot().shot, folder: "/library/x").rendered(as: .json)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(
            Set(document.keys) == [
                "counts", "earliest", "files", "folder", "latest", "shot", "spreadBoundNanoseconds",
                "spreadNanoseconds", "time", "worstBoundNanoseconds", "worstSkewNanoseconds",
            ])
        let files = try #require(document["files"] as? [[String: Any]])
        #expect(
            files.compactMap { $0["path"] as? String } == [
                "/library/x/n1.cam1/photo.jpg", "/library/x/n2.cam1/photo.jpg",
            ])
        #expect(files.map { $0["outcome"] as? String } == ["done", "done", "missed"])
        #expect(files.map { $0["skewNanoseconds"] as? String } == ["1200000", "-800000", nil])
        #expect(files.map { $0["boundNanoseconds"] as? String } == ["100000", "300000", nil])
        let manifest = try JSONSerialization.data(withJSONObject: try #require(document["shot"]))
        #expect(try JSONDecoder().decode(ShotDocument.self, from: manifest).value == SampleShot().shot)
    }

    @Test("Says which pictures exceed which limit, and what was predicted") func limits() throws {
        var shot = try SampleShot().shot
        shot.limits = TimingLimits(maxSkew: .milliseconds(1), maxBound: .microseconds(50))
        shot.prediction = SpreadPrediction(
            spread: .microseconds(1900), bound: .microseconds(1400), cameras: 2, shift: .milliseconds(9))
        shot.measureTiming()
        let table = ShotReport(shot, folder: "/x").table
        #expect(table.contains("(n2/cam1 to n1/cam1), predicted 1.90 ms ± 1.40 ms, worst skew"))
        #expect(table.contains("\nn1/cam1: its skew of +1.20 ms exceeds the limit of 1.00 ms\n"))
        #expect(table.contains("\nn1/cam1: its bound of 0.10 ms exceeds the limit of 0.05 ms\n"))
        #expect(table.contains("\nn2/cam1: its bound of 0.30 ms exceeds the limit of 0.05 ms\n"))
        #expect(!table.contains("n2/cam1: its skew"))
        #expect(
            ShotReport(shot, folder: "/x").failures.contains(
                "n1/cam1: its skew of +1.20 ms exceeds the limit of 1.00 ms"))
        shot.limits = nil
        shot.measureTiming()
        #expect(!ShotReport(shot, folder: "/x").table.contains("exceeds"))
    }

    @Test func aShotWithoutAnyFrameHasNoFigures() throws {
        var shot = try SampleShot().shot
        shot.captures = [shot.captures[2]]
        let figures = ShotFigures(shot)
        #expect(figures.spread == nil && figures.worstBound == nil && figures.timeToDurable == nil)
        #expect(ShotReport(shot, folder: "/x").table.contains("0 of 1 stills\n"))
    }

    @Test func aPeersTextCannotSteerTheTerminal() {
        let table = Table(columns: [.init("A"), .init("B")], rows: [["x\u{1B}[2J\ny", "z"]])
        #expect(table.rendered() == "A        B\nx [2J y  z\n")
        #expect(table.rendered().split(separator: "\n").count == 2)
    }

    @Test func devicesReadAsATable() throws {
        var counters = FrameCounters()
        (counters.droppedByDevice, counters.torn) = (2, 1)
        let devices = [
            DeviceStatus(
                device: DeviceDescription(
                    id: try DeviceID("n1/cam1"), type: .wide, position: Position(rawValue: "left"),
                    purpose: "Left view",
                    driver: "virtual"),
                condition: DeviceCondition(
                    state: .running,
                    format: VideoFormat(pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(40)),
                    counters: counters,
                    session: SessionCondition(
                        phase: .running, readiness: .ready,
                        cost: SessionCost(
                            streamBytesPerSecond: 16_000_000, ringBytes: 48_000_000, ringLimitBytes: 24_000_000,
                            encodePermille: 0)))),
            DeviceStatus(
                device: DeviceDescription(id: try DeviceID("n1/cam2"), driver: "v4l2"),
                condition: DeviceCondition(state: .busy, reason: "held by another program; end it")),
        ]
        #expect(
            DeviceReport(devices: devices).table == """
                DEVICE   STATE    READY  TYPE      POSITION     FORMAT               LOST        LOAD  PURPOSE OR REASON
                n1/cam1  running  ready  wide      left         MJPG 640x360 25 fps     3  15.3 MiB/s  Left view; its share of ring.memory holds about 50 % of ring.depth
                n1/cam2  busy     -      external  unspecified  -                       0           -  held by another program; end it

                """)
    }

    @Test func anEventIsOneLine() throws {
        let event = RigEvent(
            EventName(rawValue: "device.stalled"), realtimeNanoseconds: 1_795_256_143_250_000_000,
            local: LocalTime(nanoseconds: 1), device: try DeviceID("n1/cam1"),
            details: ["reason": "no\nframe", "count": "3"])
        let feed = FeedEvent(
            coordinatorEpoch: .random(), sequence: 9, node: try NodeName("n1"),
            source: NumberedEvent(epoch: .random(), sequence: 1, event: event))
        #expect(
            EventLine(feed, TextLayout(isWide: true)).text
                == "2026-11-21 10:15:43.250+00:00  n1/cam1           device.stalled                count=3  reason=\"no frame\""
        )
        let line = try JSONText.line(EventDocument(feed))
        #expect(line.filter { $0 == "\n" }.count == 1)
        #expect(line.contains("\"sequence\":\"9\""))
    }

    @Test func percentilesAreValuesThatOccurred() {
        let values = (1...20).map { Duration.milliseconds($0) }.shuffled()
        #expect(Percentile.of(values, 50) == .milliseconds(10))
        #expect(Percentile.of(values, 95) == .milliseconds(19))
        #expect(Percentile.of([.seconds(1)], 95) == .seconds(1))
        #expect(Percentile.of([], 50) == nil)
    }
}
