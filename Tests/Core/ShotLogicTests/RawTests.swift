import CaptureModel
import ShotLogic
import Testing

/// A shot of which one camera has a raw file.
@Suite struct RawTests {
    private let lost = CaptureProblem(.unsupportedSettings, "a/cam0: RAW cannot be had: not enabled")

    private func shot() throws -> Shot {
        var shot = try Sample.shot(["a/cam0", "a/cam1"])
        shot.request.settings.raw = .withPhotoWhereEnabled
        shot.captures[0].files.append(CapturedFile(kind: .alternatePhoto))
        return shot
    }

    @Test func aCameraThatLosesItsRawFileKeepsItsPhotoAndHasFailedForTheFile() throws {
        var desk = Desk(taking: try shot())
        desk.send(.begin)
        var plain = Sample.resolved
        plain.rawProblem = lost
        desk.send(.armed(try DeviceID("a/cam0"), plain))
        try desk.arm("a/cam1")
        #expect(try desk.capture(of: "a/cam0").files.map(\.kind) == [.photo, .alternatePhoto])
        var report = try Sample.report(desk.shot, "a/cam0")
        report.resolved = plain
        desk.send(.captured(report), at: 1.1)
        try desk.capture("a/cam1")
        try desk.store("a/cam0")
        try desk.store("a/cam1")
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.phase == .partial && capture.problem == lost)
        #expect(capture.files.map(\.outcome) == [.done, .failed] && capture.files[1].problem == lost)
        #expect(try desk.capture(of: "a/cam1").phase == .done)
        #expect(desk.shot.status == .partial && desk.answers == [desk.shot])
    }

    @Test func aRejectedReportFailsItsCaptureUntilASoundOneComes() throws {
        let problem = CaptureProblem(.protocolViolation, "The report was not taken.")
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        desk.send(.reportRejected(try DeviceID("a/cam0"), problem), at: 1.1)
        #expect(try desk.capture(of: "a/cam0").problem == problem)
        #expect(desk.shot.status == .failed && desk.answers.count == 1)
        #expect(try desk.capture("a/cam0").count == 1, "it is collected")
        try desk.store("a/cam0")
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.late])
    }

    @Test func aRejectedReportOfAClipFailsTheClipAlone() throws {
        let problem = CaptureProblem(.protocolViolation, "The report was not taken.")
        var desk = try Desk(["a/cam0"], livePhoto: .whereEnabled)
        desk.send(.begin)
        desk.send(.armed(try DeviceID("a/cam0"), Sample.live))
        desk.send(.captured(try Sample.liveReport(desk.shot, "a/cam0")), at: 1.1)
        try desk.store("a/cam0")
        desk.send(.reportRejected(try DeviceID("a/cam0"), problem), at: 2.6)
        #expect(try desk.capture(of: "a/cam0").files.map(\.outcome) == [.done, .failed])
        #expect(desk.shot.status == .partial)
    }
}
