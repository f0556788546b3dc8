import CaptureModel
import CaptureTestSupport
import RigDocuments
import ShotDocuments
import Testing

@Suite struct ShotReportDocumentTests {
    private let annotation: ShotAnnotation

    init() throws {
        annotation = ShotAnnotation(title: "A title", note: "A note", rejected: [try DeviceID("n1/cam1")])
    }

    @Test("Has the members that are documented, and the manifest as it is stored") func shot() throws {
        var shot = try SampleShot().shot
        shot.captures[0].files[0].byteCount = 9_007_199_254_740_993
        let read = try ReadDocument(
            ShotReportDocument(
                shot, folder: "/library/x", annotation: annotation,
                leftOut: LeftOutDevices([try DeviceID("n1/old")])))
        #expect(
            read.members() == [
                "counts", "earliest", "files", "folder", "latest", "note", "notConfigured", "rejected", "shot",
                "spreadBoundNanoseconds", "spreadNanoseconds", "time", "title", "worstBoundNanoseconds",
                "worstSkewNanoseconds",
            ])
        #expect(
            read.members(of: "files[]") == [
                "boundNanoseconds", "byteCount", "device", "kind", "outcome", "path", "problem", "skewNanoseconds",
            ])
        #expect(read.texts("rejected[]") == ["n1/cam1"])
        #expect(read.numbers(outside: "shot") == ["counts[].expected", "counts[].stored"])
        #expect(read.texts("files[].byteCount") == ["9007199254740993"])
        #expect(read.texts("files[].skewNanoseconds") == ["1200000", "-800000"])
        #expect(read.texts("files[].boundNanoseconds") == ["100000", "300000"])
        #expect(read.texts("spreadNanoseconds") == ["2000000"])
        #expect(read.texts("spreadBoundNanoseconds") == ["400000"])
        #expect(read.texts("earliest") == ["n2/cam1"] && read.texts("latest") == ["n1/cam1"])
        #expect(read.texts("worstSkewNanoseconds") == ["1200000"])
        #expect(read.texts("worstBoundNanoseconds") == ["300000"])
        #expect(read.texts("time") == ["2026-11-21T10:15:44.250000000Z"])
        #expect(read.texts("files[].path").first == "/library/x/n1.cam1/photo.jpg")
        let manifest = try ReadDocument(["shot": ShotDocument(shot)])
        #expect(manifest.values.allSatisfy { value in read.values.contains { $0 == value } })
        #expect(read.numbers.contains("shot.captures[].files[].byteCount"))
    }

    @Test("Has the movies of a take, and the manifest as it is stored") func take() throws {
        var take = try SampleShot().shot
        take.take = Take()
        take.captures[0].movie = RecordedMovie(frameCount: 75, durationNanoseconds: 3_000_000_000, end: .stopped)
        take.captures[1].movie = RecordedMovie(
            frameCount: 74, durationNanoseconds: 3_000_000_000, end: .stopped, note: "it began late")
        for (index, late) in [(0, 0), (1, 30_000)] {
            take.captures[index].resolved = ResolvedPhotoSettings(
                width: 640, height: 360,
                streamFormat: VideoFormat(
                    pixelFormat: .mjpeg, width: 640, height: 360, frameInterval: .milliseconds(40)),
                isCameraEncoded: true, orientation: .degrees0)
            take.captures[index].movie?.pace = FramePace(
                intervalCount: 50, spanNanoseconds: 2_000_000_000 + Int64(late), boundNanoseconds: 200_000)
        }
        let read = try ReadDocument(
            TakeReportDocument(
                take, folder: "/library/x", annotation: annotation,
                leftOut: LeftOutDevices([try DeviceID("n1/old")])))
        #expect(
            read.members() == [
                "cameras", "drift", "folder", "note", "notConfigured", "rejected", "take", "time", "title",
            ])
        #expect(
            read.members(of: "cameras[]") == [
                "device", "driftBoundPartsPerBillion", "driftPartsPerBillion", "frameReason", "frames", "outcome",
                "problem",
            ])
        #expect(read.members(of: "drift") == ["ahead", "apartNanoseconds", "behind", "boundNanoseconds"])
        #expect(read.texts("drift.apartNanoseconds") == ["30000"] && read.texts("drift.behind") == ["n2/cam1"])
        #expect(read.texts("drift.boundNanoseconds") == ["400000"])
        #expect(
            read.numbers(outside: "take") == [
                "cameras[].driftBoundPartsPerBillion", "cameras[].driftPartsPerBillion", "cameras[].frames",
            ])
        #expect(read.texts("cameras[].frameReason").first?.contains("it began late") == true)
        #expect(read.numbers.contains("take.captures[].movie.durationNanoseconds"))
    }

    @Test("Has the offset of a mark as a string") func mark() throws {
        let mark = SetMark(
            take: try SampleIDs.shot(), mark: TakeMark(id: .max, time: RigTime(nanoseconds: 7), text: "jump"),
            offset: .nanoseconds(9_007_199_254_740_993))
        let read = try ReadDocument(MarkDocument(mark))
        #expect(read.members() == ["offsetNanoseconds", "take", "text"] && read.numbers.isEmpty)
        #expect(read.texts("offsetNanoseconds") == ["9007199254740993"])
    }
}
