import CaptureModel
import CaptureTestSupport
import RigClient
import RigDocuments
import Testing

/// Documents of what is stored: lists, verifications, spools.
@Suite struct LibraryDocumentTests {
    @Test("Lists shots and takes with their dates and counts") func lists() throws {
        let shot = ShotSummary(
            id: try SampleIDs.shot(), status: .partial, realtimeNanoseconds: 1_795_256_143_250_000_000, expected: 3,
            done: 2, folder: "2026/11/21/x", title: "T")
        let damaged = DamagedShot(id: try SampleIDs.shot(), folder: "y", reason: "y/shot.json: no JSON")
        let list = ShotList(shots: [shot], damaged: [damaged], moreDamaged: 4)
        let documents = [
            ("shots", try ReadDocument(ShotListDocument(list))), ("takes", try ReadDocument(TakeListDocument(list))),
        ]
        for (name, read) in documents {
            #expect(read.members() == ["damaged", "moreDamaged", name])
            #expect(
                read.members(of: "\(name)[]") == ["done", "expected", "folder", "id", "status", "time", "title"])
            #expect(read.numbers == ["\(name)[].done", "\(name)[].expected", "moreDamaged"])
            #expect(read.texts("\(name)[].time") == ["2026-11-21T10:15:43.250000000Z"])
            #expect(read.texts("damaged[]") == ["y/shot.json: no JSON"])
        }
    }

    @Test("Has title, note and rejected pictures, empty if there are none") func annotation() throws {
        let read = try ReadDocument(AnnotationDocument(try SampleIDs.shot(), ShotAnnotation(title: "T")))
        #expect(read.texts("title") == ["T"] && read.texts("note") == [""] && read.texts("rejected[]") == [])
        #expect(read.members() == ["note", "rejected", "shot", "title"])
        let rejected = ShotAnnotation(rejected: [try DeviceID("n2/cam1"), try DeviceID("n1/cam1")])
        let marked = try ReadDocument(AnnotationDocument(try SampleIDs.shot(), rejected))
        #expect(marked.texts("rejected[]") == ["n1/cam1", "n2/cam1"])
    }

    @Test("Names the stored files that the deletion of a kept shot would remove") func deletion() throws {
        var shot = try SampleShot().shot
        shot.captures[0].files[0].byteCount = 9_007_199_254_740_993
        let kept = DeletionDocument.Kept(shot.id, reason: "no copy", wouldDelete: StoredFileDocument.all(of: shot))
        let read = try ReadDocument(DeletionDocument([], kept: [kept]))
        #expect(read.members() == ["deleted", "kept"])
        #expect(read.members(of: "kept[]") == ["reason", "shot", "wouldDelete"])
        #expect(read.texts("kept[].wouldDelete[].device") == ["n1/cam1", "n2/cam1"], "the third has no file")
        #expect(read.texts("kept[].wouldDelete[].file") == ["n1.cam1/photo.jpg", "n2.cam1/photo.jpg"])
        #expect(read.texts("kept[].wouldDelete[].byteCount") == ["9007199254740993", "0"])
        let inProgress = try ReadDocument(DeletionDocument([], kept: [DeletionDocument.Kept(shot.id, reason: "open")]))
        #expect(inProgress.members(of: "kept[]") == ["reason", "shot"])
    }

    @Test("Has every finding of a verification") func verification() throws {
        let file = Verification.File(path: "n1.cam1/photo.jpg", finding: .altered)
        let stray = Verification.File(path: "x", finding: .stray)
        let read = try ReadDocument(
            VerificationDocument(
                [Verification(shot: try SampleIDs.shot(), files: [file])], damaged: ["y"], moreDamaged: 2,
                unclaimed: UnclaimedFiles(files: [stray], isCut: true)))
        #expect(
            read.members() == ["damaged", "moreDamaged", "unclaimed", "unclaimedIsCut", "verifications"])
        #expect(read.members(of: "verifications[]") == ["files", "shot"])
        #expect(read.members(of: "verifications[].files[]") == ["finding", "path"])
        #expect(read.texts("unclaimed[].finding") == ["stray"] && read.numbers == ["moreDamaged"])
        let ofShots = VerificationDocument([], damaged: [], moreDamaged: 0, unclaimed: nil)
        #expect(try ReadDocument(ofShots).paths == ["moreDamaged", "unclaimedIsCut"])
    }

    @Test("Has captures of spools with their bytes as strings") func spool() throws {
        let capture = SpooledCapture(
            key: CaptureKey(shot: try SampleIDs.shot(), device: try DeviceID("n1/cam1")), files: 2,
            byteCount: 9_007_199_254_740_993, state: .orphan)
        let read = try ReadDocument(SpoolDocument([capture]))
        #expect(
            read.members(of: "captures[]") == ["byteCount", "device", "files", "requestedAt", "shot", "state"])
        #expect(read.numbers == ["captures[].files"])
        #expect(read.texts("captures[].byteCount") == ["9007199254740993"])
        let requested = try #require(
            read.texts("captures[].requestedAt").first.flatMap(RFC3339.realtimeNanoseconds))
        #expect(requested == capture.key.shot.unixMilliseconds * 1_000_000)
        #expect(try ReadDocument(DiscardDocument([capture])).paths == ["discarded[].device", "discarded[].shot"])
    }
}
