import CameraKit
import CaptureModel

/// A capture's format switch: its camera leaves the stream's format for the still's, and comes back. Planned when the capture is
/// armed, carried out by the session around T, whether the capture has been fired by then or not.
struct PhotoFormatSwitch: Sendable {
    /// A camera's first frames are often dark or still being adjusted: those do not count whose exposure began within so
    /// many intervals, and at least so long, after the first good one.
    static let settlingFrames = 3
    static let settlingTime = Duration.milliseconds(300)

    let choice: PhotoFormatChoice
    /// How long before T the stream is closed.
    let lead: Duration
    /// How long the stream is away at most, as things are.
    let expectedGap: Duration
    /// Rung when one of the following has changed.
    let news: Alarm

    typealias Outcome = Result<[RingFrame], CaptureProblem>

    /// How far it has come.
    enum State: Sendable {
        /// The frames are still to come.
        case planned
        /// The frames are there or given up; the stream is not back.
        case returning(Outcome)
        /// The stream is back, or the first attempt to have it back has failed.
        case over(Outcome)
    }

    var state = State.planned
    /// How long the stream was away; nil where it has not been, or before it is back.
    var gap: StreamGap?

    /// What came of it; nil until the frames are there or given up.
    var outcome: Outcome? {
        switch state {
        case .planned: nil
        case .returning(let outcome), .over(let outcome): outcome
        }
    }

    var isOver: Bool { if case .over = state { true } else { false } }

    /// - Parameter preparation: What setting the camera for the capture takes beside.
    init(_ choice: PhotoFormatChoice, reopening: ReopeningTime, preparation: Duration = .zero, clock: any TimeSource) {
        self.choice = choice
        let interval = choice.format.frameInterval
        // The frame of T may come an interval before it; the last frame that can be it, two after.
        lead = reopening.estimate + Self.settling(interval) + interval + preparation
        expectedGap = lead + interval * 2 + reopening.estimate
        news = Alarm(clock: clock)
    }

    static func settling(_ interval: Duration) -> Duration {
        max(interval * settlingFrames, settlingTime)
    }
}
