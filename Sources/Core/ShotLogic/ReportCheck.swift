public import CaptureModel

/// Compares what a node claims of a capture with what the coordinator knows.
///
/// Pure: it reads no clock. It doubts only what cannot be true, whatever the camera does: each limit is larger than any honest
/// value. `docs/design/shot.md` has the table.
public struct ReportCheck: Sendable {
    /// The shot of the report, as the coordinator has made it.
    let shot: Shot
    /// When the report arrived, on the shot's time line; nil if that line has ended, so that no
    /// instant can be compared with the present.
    let received: RigTime?
    /// The error of the node's clock, as the node has last said.
    let clockBound: Duration
    /// The time from frame to frame that the camera was last reported to have.
    let frameInterval: Duration
    let settings: KnownSettings

    public init(
        of shot: Shot, received: RigTime?, clockBound: Duration?, frameInterval: Duration? = nil,
        settings: KnownSettings
    ) {
        self.shot = shot
        self.received = received
        self.clockBound = max(clockBound ?? .zero, .zero)
        self.frameInterval = max(frameInterval ?? .zero, .zero)
        self.settings = settings
    }

    /// The largest bound of a mid-exposure, in addition to two frame intervals of its camera. A camera may claim 10 s for its
    /// timestamps. The rig time estimate of a node without contact widens by 500 µs per second.
    static let largestBound = Duration.seconds(60)
    /// A camera without a frame for this long, or for five intervals if that is longer, is restarted and takes no picture.
    static let longestSilence = Duration.seconds(2)
    /// A camera that leaves its stream for a larger still is back by then, or has failed.
    static let longestSwitch = Duration.seconds(10)
    /// Frames after a change of its settings until a camera must have them, for each picture of a bracket.
    static let framesPerStep = 12

    /// Returns the claims that are wrong or cannot be verified, each kind of claim once.
    public func doubts(of report: CaptureReport) -> [DoubtedClaim] {
        var doubts = Doubts()
        checkInstant(report, &doubts)
        checkSettings(report, &doubts)
        checkGap(report, &doubts)
        if let clip = report.clip { check(clip, report, &doubts) }
        if let movie = report.movie { check(movie, report, &doubts) }
        return doubts.list
    }

    /// The first doubt of each kind, in order, a wrong claim before an unverified one.
    private struct Doubts {
        private(set) var list: [DoubtedClaim] = []

        mutating func add(_ doubt: DoubtedClaim?) {
            guard let doubt else { return }
            guard let index = list.firstIndex(where: { $0.claim == doubt.claim }) else { return list.append(doubt) }
            if list[index].verdict == .unverified, doubt.verdict == .wrong { list[index] = doubt }
        }

        mutating func wrong(_ claim: DoubtedClaim.Claim, _ reason: String) {
            add(DoubtedClaim(claim, .wrong, reason))
        }
    }

    // MARK: The instant of the picture

    private func checkInstant(_ report: CaptureReport, _ doubts: inout Doubts) {
        let timing = report.timing
        let interval = interval(of: report)
        let largest = Self.largestBound + interval * 2
        let isBounded = (Duration.zero...largest).contains(timing.midExposure.bound)
        if !isBounded {
            doubts.wrong(
                .bound, "the bound of its mid-exposure is \(timing.midExposure.bound.text), above \(largest.text)")
        }
        let (skew, isBeyond) = timing.midExposure.time.nanoseconds.subtractingReportingOverflow(shot.time.nanoseconds)
        if isBeyond || skew != timing.skewNanoseconds {
            let difference = isBeyond ? "out of range" : "\(skew) ns"
            doubts.wrong(.skew, "its skew is \(timing.skewNanoseconds) ns; mid-exposure minus T is \(difference)")
        }
        let bound = isBounded ? timing.midExposure.bound : largest
        let distance = timing.midExposure.time - shot.time
        let window = window(of: report)
        if distance + bound < .zero - window.before || distance - bound > window.after {
            let side = distance < .zero ? "before" : "after"
            let limit = distance < .zero ? window.before : window.after
            doubts.wrong(
                .midExposure,
                "its mid-exposure is \(distance.magnitude.text) \(side) T; no picture of T is more than \(limit.text) \(side) it"
            )
        }
        let early = timing.midExposure.time - timing.dequeued
        if early > bound {
            doubts.wrong(.dequeued, "it was received from the camera \(early.text) before its mid-exposure")
        }
        if let late = lateness(of: timing.dequeued, bound) {
            doubts.wrong(.dequeued, "it was received from the camera \(late.text) after the report of it arrived")
        }
    }

    /// How far the picture may be from T.
    private func window(of report: CaptureReport) -> (before: Duration, after: Duration) {
        let interval = interval(of: report)
        var after = max(Self.longestSilence, interval * 5)
        let before = after
        if report.resolved.photoFormat != nil { after += Self.longestSwitch }
        let settings = shot.request.settings
        if settings.bracket != nil || settings.flash ?? .off != .off {
            after += interval * (Self.framesPerStep * max(1, settings.bracket?.count ?? 1))
        }
        return (before, after)
    }

    /// The longest that a frame may have taken: a camera in dim light is slower than its format.
    private func interval(of report: CaptureReport) -> Duration {
        let resolved = report.resolved
        return max(
            resolved.streamFormat.frameInterval, resolved.photoFormat?.frameInterval ?? .zero, frameInterval,
            .nanoseconds(report.timing.exposureNanoseconds ?? 0))
    }

    /// How long after the report arrived an instant is that it names; nil if it may be before it, or this cannot be compared.
    private func lateness(of instant: RigTime, _ bound: Duration) -> Duration? {
        guard let received else { return nil }
        let late = instant - received
        return late > max(bound, clockBound) ? late : nil
    }

    // MARK: Its settings, and what belongs to it

    private func checkSettings(_ report: CaptureReport, _ doubts: inout Doubts) {
        let claims = [report.timing.settings] + (report.clip?.settings.map(\.settings) ?? [])
        for revision in claims.flatMap({ $0?.revisions ?? [] }) {
            doubts.add(settings.doubt(revision, of: report.key.device))
        }
    }

    private func checkGap(_ report: CaptureReport, _ doubts: inout Doubts) {
        guard let start = report.streamGap?.start else { return }
        let end = start + .nanoseconds(report.streamGap?.nanoseconds ?? 0)
        if let late = lateness(of: end, report.timing.midExposure.bound) {
            doubts.wrong(.streamGap, "the interruption of its stream ends \(late.text) after the report of it arrived")
        }
    }

    private func check(_ clip: ClipTiming, _ report: CaptureReport, _ doubts: inout Doubts) {
        let length = Duration.nanoseconds(clip.frameOffsets.last ?? 0)
        if let late = lateness(of: clip.start.time + length, clip.start.bound + Self.drift(over: length)) {
            doubts.wrong(.clip, "the last frame of its clip was exposed \(late.text) after the report of it arrived")
        }
        let still = clip.start.time + .nanoseconds(clip.photoDisplayNanoseconds)
        let distance = (still - report.timing.midExposure.time).magnitude
        let tolerance = clip.start.bound + report.timing.midExposure.bound + interval(of: report)
        // A still larger than the stream, or of a bracket, is not a frame of the clip.
        if report.resolved.photoFormat == nil, shot.request.settings.bracket == nil, distance > tolerance {
            doubts.wrong(
                .clip, "its clip shows the still \(distance.text) from the still's mid-exposure")
        }
        let silence = (clip.silences ?? []).reduce(Duration.zero) { $0 + .nanoseconds($1.durationNanoseconds) }
        if silence > .nanoseconds(clip.durationNanoseconds) + .seconds(1) {
            doubts.wrong(
                .clip,
                "its clip is silent for \(silence.text) and lasts \(Duration.nanoseconds(clip.durationNanoseconds).text)"
            )
        }
    }

    /// The error of a length that a node has measured by its own clock: at most 500 µs per second.
    private static func drift(over length: Duration) -> Duration { length / 2000 }

    private func check(_ movie: RecordedMovie, _ report: CaptureReport, _ doubts: inout Doubts) {
        let duration = Duration.nanoseconds(movie.durationNanoseconds)
        let bound = report.timing.midExposure.bound + Self.drift(over: duration)
        if let late = lateness(of: shot.time + duration, bound) {
            doubts.wrong(.movie, "the last frame of its movie was exposed \(late.text) after the report of it arrived")
        }
        let silence = Duration.nanoseconds(movie.silenceNanoseconds)
        if silence > duration + .seconds(1) {
            doubts.wrong(.movie, "its movie is silent for \(silence.text) and lasts \(duration.text)")
        }
        if let pace = movie.pace {
            let span = Duration.nanoseconds(pace.spanNanoseconds)
            let difference = (Duration.nanoseconds(report.timing.skewNanoseconds) + span - duration).magnitude
            if difference > bound + .nanoseconds(pace.boundNanoseconds) + interval(of: report) {
                doubts.wrong(.movie, "its frames span \(span.text), and its movie lasts \(duration.text)")
            }
        }
    }
}

extension FrameSettings {
    /// The transactions that it names.
    fileprivate var revisions: [SettingsID] {
        switch self {
        case .inForce(let revision): [revision]
        case .changing(let before, let after): [before, after].compactMap(\.self)
        }
    }
}
