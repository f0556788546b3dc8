import CaptureModel
import Testing

@testable import ShotLogic

/// What a coordinator that knows T, the present and its settings transactions believes of a report.
@Suite struct ReportCheckTests {
    private let shot: Shot
    /// Exposed at T and received 30 ms later, of a camera with 30 frames per second.
    private let honest: CaptureReport
    private let revision: SettingsID
    /// Of a transaction after the node joined, that nobody made.
    private let invented: SettingsID

    init() throws {
        shot = try Sample.shot(["a/cam0"])
        var report = try Sample.report(shot, "a/cam0")
        report.timing.dequeued = Sample.time + .milliseconds(30)
        honest = report
        revision = try #require(SettingsID("019a0f3e-7b1c-7d2e-8f30-1a2b3c4d5e6f"))
        invented = try #require(SettingsID("019a0f3e-7b1d-7d2e-8f30-1a2b3c4d5e6f"))
    }

    /// The claims that are doubted when the report arrives 50 ms after T.
    private func doubts(
        _ report: CaptureReport, received: RigTime? = Sample.time + .milliseconds(50), clockBound: Duration? = nil,
        settings: KnownSettings = KnownSettings(), shot: Shot? = nil
    ) -> [DoubtedClaim] {
        ReportCheck(of: shot ?? self.shot, received: received, clockBound: clockBound, settings: settings)
            .doubts(of: report)
    }

    private func claims(_ doubts: [DoubtedClaim]) -> [String] { doubts.map { "\($0.verdict) \($0.claim)" } }

    /// Moves the picture, its arrival and its skew.
    private func moved(_ distance: Duration, bound: Duration = .microseconds(100)) -> CaptureReport {
        var report = honest
        report.timing.midExposure = BoundedRigTime(time: Sample.time + distance, bound: bound)
        report.timing.skewNanoseconds = distance.nanoseconds
        report.timing.dequeued = Sample.time + distance
        return report
    }

    @Test func `Believes a report that can be true`() {
        #expect(doubts(honest).isEmpty)
        // A camera in dim light delivers one frame in two seconds, whatever it states.
        #expect(doubts(moved(.seconds(-2))).isEmpty)
        #expect(doubts(moved(.milliseconds(50))).isEmpty)
    }

    @Test func `Names a skew that is not mid-exposure minus T`() {
        var report = honest
        report.timing.skewNanoseconds = 7
        #expect(claims(doubts(report)) == ["wrong skew"])
        #expect(doubts(report)[0].reason == "its skew is 7 ns; mid-exposure minus T is 0 ns")
        report.timing.midExposure.time = RigTime(nanoseconds: .min)
        report.timing.skewNanoseconds = .min
        #expect(claims(doubts(report)) == ["wrong skew", "wrong midExposure"])
    }

    @Test func `Names a picture that is too far from T, on either side`() {
        let late = Sample.time + .seconds(2000)
        #expect(claims(doubts(moved(.seconds(1000)), received: late)) == ["wrong midExposure"])
        #expect(claims(doubts(moved(.seconds(-1000)), received: late)) == ["wrong midExposure"])
        #expect(claims(doubts(moved(.seconds(1000)), received: nil)) == ["wrong midExposure"])
        #expect(doubts(moved(.seconds(1000)), received: late)[0].reason.contains("16 min 40 s after T"))
        // Within its bound, it may have been near T.
        #expect(doubts(moved(.seconds(-10), bound: .seconds(9))).isEmpty)
    }

    @Test func `Lets a slow camera be as far from T as its frames are apart`() {
        var report = moved(.seconds(-20))
        report.resolved.streamFormat.frameIntervalNanoseconds = 5_000_000_000
        #expect(doubts(report).isEmpty)
    }

    @Test func `Lets a still larger than the stream, and one with flash, come later`() throws {
        var larger = moved(.seconds(9))
        larger.resolved.photoFormat = larger.resolved.streamFormat
        let later = Sample.time + .seconds(9)
        #expect(doubts(larger, received: later).isEmpty)
        #expect(claims(doubts(moved(.seconds(9)), received: later)) == ["wrong midExposure"])
        var lit = shot
        lit.request.settings.flash = .on
        #expect(doubts(moved(.milliseconds(2390)), received: later, shot: lit).isEmpty)
        #expect(claims(doubts(moved(.milliseconds(2390)), received: later)) == ["wrong midExposure"])
    }

    @Test func `Names a frame that was received before it was exposed`() {
        var report = honest
        report.timing.dequeued = Sample.time - .microseconds(100)
        #expect(doubts(report).isEmpty, "within its bound")
        report.timing.dequeued = Sample.time - .microseconds(101)
        #expect(claims(doubts(report)) == ["wrong dequeued"])
    }

    @Test func `Names a frame that was received after its report arrived`() {
        var report = honest
        report.timing.dequeued = Sample.time + .milliseconds(51)
        #expect(claims(doubts(report)) == ["wrong dequeued"])
        #expect(doubts(report, clockBound: .milliseconds(1)).isEmpty, "the node's clock may be wrong by so much")
        #expect(doubts(report, received: nil).isEmpty, "the time line of the shot has ended")
    }

    @Test func `Names a bound that says nothing, and does not excuse anything by it`() {
        let report = moved(.seconds(-1000), bound: .seconds(2000))
        #expect(claims(doubts(report)) == ["wrong bound", "wrong midExposure"])
        #expect(doubts(moved(.zero, bound: .seconds(60))).isEmpty)
    }

    @Test func `Tells settings that nobody made from settings that it can no longer know`() throws {
        let known: (KnownSettings.Transaction?) -> KnownSettings = { transaction in
            var known = KnownSettings(completeSince: revision.uuid.unixMilliseconds)
            known.transactions[revision] = transaction
            return known
        }
        var report = honest
        report.timing.settings = .inForce(revision)
        let told = KnownSettings.Transaction.told([try DeviceID("a/cam0")])
        let other = KnownSettings.Transaction.told([try DeviceID("a/cam1")])
        #expect(doubts(report, settings: known(told)).isEmpty)
        #expect(claims(doubts(report, settings: known(other))) == ["wrong settings"])
        #expect(claims(doubts(report, settings: known(.refused))) == ["wrong settings"])
        #expect(claims(doubts(report, settings: known(.toldUnknown))) == ["unverified settings"])
        #expect(claims(doubts(report, settings: known(nil))) == ["unverified settings"])
        report.timing.settings = .inForce(invented)
        #expect(claims(doubts(report, settings: known(told))) == ["wrong settings"])
        report.timing.settings = .changing(from: revision, to: invented)
        #expect(claims(doubts(report, settings: known(nil))) == ["wrong settings"], "the worse of two counts")
        report.timing.settings = .changing(from: nil, to: nil)
        #expect(doubts(report, settings: known(nil)).isEmpty)
    }

    @Test func `Checks the settings, the end and the still of a clip`() throws {
        var report = try Sample.liveReport(shot, "a/cam0", clip: 2)
        report.timing.dequeued = Sample.time + .milliseconds(30)
        #expect(doubts(report).isEmpty)
        var clip = try #require(report.clip)
        clip.settings = [ClipSettings(startNanoseconds: 0, settings: .inForce(invented))]
        report.clip = clip
        #expect(claims(doubts(report, settings: KnownSettings(completeSince: 0))) == ["wrong settings"])
        clip.settings = []
        clip.frameOffsets = [0, 60_000_000]
        clip.stillFrame = 0
        report.clip = clip
        #expect(claims(doubts(report)) == ["wrong clip"], "its last frame was exposed 10 ms after the report arrived")
        #expect(doubts(report, received: nil).isEmpty)
        clip.start.time = Sample.time - .seconds(5)
        report.clip = clip
        #expect(claims(doubts(report)) == ["wrong clip"], "its still is 5 s from the still")
        clip.start.time = Sample.time
        clip.silences = [ClipSilence(startNanoseconds: 0, durationNanoseconds: 2_000_000_000, cause: .overrun)]
        report.clip = clip
        #expect(claims(doubts(report, received: nil)) == ["wrong clip"])
    }

    @Test func `Checks the end and the silence of a movie`() {
        var report = honest
        report.movie = RecordedMovie(frameCount: 2, durationNanoseconds: 33_000_000, end: .stopped)
        #expect(doubts(report).isEmpty)
        report.movie?.durationNanoseconds = 60_000_000
        #expect(claims(doubts(report)) == ["wrong movie"])
        report.movie?.durationNanoseconds = 33_000_000
        report.movie?.silenceNanoseconds = 2_000_000_000
        #expect(claims(doubts(report)) == ["wrong movie"])
        report.movie?.silenceNanoseconds = 0
        report.movie?.pace = FramePace(intervalCount: 1, spanNanoseconds: 33_000_000, boundNanoseconds: 200_000)
        #expect(doubts(report).isEmpty)
        report.movie?.pace?.spanNanoseconds = 133_000_000
        #expect(claims(doubts(report)) == ["wrong movie"])
    }

    @Test func `Checks the interruption of the stream for a larger still`() {
        var report = honest
        report.streamGap = StreamGap(localStart: LocalTime(nanoseconds: 1), start: Sample.time, nanoseconds: 40_000_000)
        #expect(doubts(report).isEmpty)
        report.streamGap?.nanoseconds = 60_000_000
        #expect(claims(doubts(report)) == ["wrong streamGap"])
    }

    @Test func `Survives every number`() {
        for extreme in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
            var report = honest
            report.timing.midExposure.time = RigTime(nanoseconds: extreme)
            report.timing.midExposure.boundNanoseconds = max(0, extreme)
            report.timing.dequeued = RigTime(nanoseconds: 0 &- extreme)
            report.timing.skewNanoseconds = extreme
            report.streamGap = StreamGap(
                localStart: LocalTime(nanoseconds: 1), start: RigTime(nanoseconds: extreme),
                nanoseconds: max(0, extreme))
            report.movie = RecordedMovie(
                frameCount: 2, durationNanoseconds: extreme, end: .stopped,
                pace: FramePace(intervalCount: 1, spanNanoseconds: extreme, boundNanoseconds: max(0, extreme)))
            #expect(doubts(report).contains { $0.verdict == .wrong })
        }
    }
}

/// How a shot handles a report that is not believed.
@Suite struct DoubtedReportTests {
    private let wrong = DoubtedClaim(.midExposure, .wrong, "its mid-exposure is 1000 s from T")
    private let unverified = DoubtedClaim(.settings, .unverified, "the transaction is too old")

    private func desk(_ doubts: [DoubtedClaim]) throws -> Desk {
        var desk = try Desk(["a/cam0"])
        desk.send(.begin)
        try desk.arm("a/cam0")
        var report = try Sample.report(desk.shot, "a/cam0")
        report.doubts = doubts
        desk.send(.captured(report), at: 1.1)
        try desk.store("a/cam0")
        return desk
    }

    @Test func `Stores a picture with a wrong claim, and is partial because of it`() throws {
        let desk = try desk([wrong])
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.files.map(\.outcome) == [.done])
        #expect(capture.phase == .partial && capture.problem?.code == .protocolViolation)
        #expect(capture.problem?.message.contains("its mid-exposure is 1000 s from T") == true)
        #expect(capture.doubts == [wrong] && capture.credibleTiming == nil && capture.timing != nil)
        #expect(desk.shot.status == .partial && desk.answers == [desk.shot])
    }

    @Test func `A claim that cannot be verified does not make a picture less than done`() throws {
        let desk = try desk([unverified])
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.phase == .done && capture.problem == nil && capture.doubts == [unverified])
        #expect(capture.credibleTiming != nil && desk.shot.status == .complete)
    }

    @Test func `Doubts of a clip come with its report, and do not touch the photo`() throws {
        var desk = try Desk(["a/cam0"], livePhoto: .whereEnabled)
        desk.send(.begin)
        desk.send(.armed(try DeviceID("a/cam0"), Sample.live))
        desk.send(.captured(try Sample.liveReport(desk.shot, "a/cam0")), at: 1.1)
        try desk.store("a/cam0")
        var report = try Sample.liveReport(desk.shot, "a/cam0", clip: 2)
        let doubt = DoubtedClaim(.clip, .wrong, "its clip ends in the future")
        report.doubts = [doubt, wrong]
        desk.send(.captured(report), at: 2.6)
        try desk.store("a/cam0", .pairedVideo)
        let capture = try desk.capture(of: "a/cam0")
        #expect(capture.doubts == [doubt], "of the photo, the first report counts")
        #expect(capture.phase == .partial && capture.credibleTiming != nil)
        #expect(capture.files.map { capture.problem(of: $0) == nil } == [true, false])
    }
}
