import CaptureModel
import ShotLogic
import Testing

/// A shot of a camera that makes raw files itself.
@Suite struct CameraRawTests {
    private let lost = RigProblem(.fileLost, "a/cam0: it has stored DSC_1.JPG alone")

    private func fired() throws -> Desk {
        var shot = try Sample.shot(["a/cam0"])
        shot.request.settings.raw = .withPhoto
        shot.captures[0].files.append(CapturedFile(kind: .alternatePhoto))
        var desk = Desk(taking: shot)
        desk.send(.begin)
        var resolved = Sample.resolved
        resolved.raw = .cameraFile
        desk.send(.armed(try DeviceID("a/cam0"), resolved))
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo, .alternatePhoto])
        return desk
    }

    /// A report of these files, whose digests are their positions from 1.
    private func report(
        _ desk: Desk, _ kinds: [AssetKind], failed: [AssetKind] = []
    ) throws -> CaptureReport {
        var report = try Sample.report(desk.shot, "a/cam0")
        report.files = try kinds.enumerated().map { number, kind in
            SpooledFile(kind: kind, byteCount: 1000, digest: try Sample.digest(UInt8(number + 1)))
        }
        report.failed = failed.map { FailedFile(kind: $0, problem: lost) }
        return report
    }

    @Test("Expects the camera's own raw file instead of a DNG when its node tells of it, and collects both files")
    func both() throws {
        var desk = try fired()
        let raw = try desk.file("a/cam0", .cameraRaw(.nef))
        let told = try desk.send(.captured(report(desk, [.photo, .cameraRaw(.nef)])), at: 1.1)
        #expect(
            try told == [
                .collect(desk.file("a/cam0"), byteCount: 1000, digest: Sample.digest(1)),
                .collect(raw, byteCount: 1000, digest: Sample.digest(2)),
            ])
        try desk.store("a/cam0")
        #expect(try desk.store("a/cam0", .cameraRaw(.nef)) == [.release(raw, Sample.digest(2))])
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.phase == .done && capture.files.map(\.kind) == [.photo, .cameraRaw(.nef)])
        #expect(capture.files[1].path == "a/cam0/cameraRaw.nef" && desk.shot.status == .complete)
    }

    @Test("A raw file that the camera has not made has failed with its reason, once for the node to forget it")
    func noRaw() throws {
        var desk = try fired()
        let report = try report(desk, [.photo], failed: [.alternatePhoto])
        let forget = try ShotAction.forget(desk.file("a/cam0", .alternatePhoto))
        let told = desk.send(.captured(report), at: 1.1)
        #expect(told.filter { $0 == forget }.count == 1)
        #expect(try !desk.store("a/cam0").contains(forget))
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.phase == .partial && capture.problem == lost)
        #expect(capture.files.map(\.outcome) == [.done, .failed] && capture.files[1].problem == lost)
        // The node has not heard of it.
        var listed = report
        listed.files = []
        #expect(try desk.connect("a", inventory: [listed], at: 4) == [forget])
    }

    @Test("A photo that the camera has not made has failed with its reason, and its raw file is stored")
    func noPhoto() throws {
        var desk = try fired()
        let told = try desk.send(.captured(report(desk, [.cameraRaw(.arw)], failed: [.photo])), at: 1.1)
        #expect(try told.contains(.forget(desk.file("a/cam0", .photo))))
        try desk.store("a/cam0", .cameraRaw(.arw))
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.phase == .failed && capture.problem == lost)
        #expect(capture.files.map(\.outcome) == [.failed, .done])
        #expect(capture.files.map(\.kind) == [.photo, .cameraRaw(.arw)])
    }

    @Test("A report that comes after its capture was given up brings both files")
    func late() throws {
        var desk = try fired()
        desk.send(.deadlinePassed, at: 6)
        #expect(desk.phases() == [.missed])
        try desk.send(.captured(report(desk, [.photo, .cameraRaw(.nef)])), at: 7)
        try desk.store("a/cam0", at: 7)
        try desk.store("a/cam0", .cameraRaw(.nef), at: 7)
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.late, .late])
    }

    @Test("Expects no further file because a node tells of one that was not asked for, or of two")
    func lies() throws {
        var desk = try fired()
        try desk.send(.captured(report(desk, [.photo, .cameraRaw(.nef), .cameraRaw(.cr2)])), at: 1.1)
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo, .cameraRaw(.nef)])
        var plain = try Desk(["a/cam0"])
        plain.send(.begin)
        try plain.arm("a/cam0")
        try plain.send(.captured(report(plain, [.photo, .cameraRaw(.nef)])), at: 1.1)
        #expect(try plain.capture(of: "a/cam0").files.map(\.kind) == [.photo])
    }

    @Test("Keeps the DNG of a node that tells of it and of a file of the camera")
    func dng() throws {
        var desk = try fired()
        try desk.send(.captured(report(desk, [.photo, .alternatePhoto, .cameraRaw(.nef)])), at: 1.1)
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo, .alternatePhoto])
    }
}
