public import CaptureModel

/// The deadlines of a shot, as rig times on the shot's line.
public struct ShotSchedule: Hashable, Sendable {
    /// Cameras that are not armed by then are missed, and the others fire.
    public var armDeadline: RigTime
    /// Captures without a report by then are missed, provisionally. Not before `armDeadline`. Nodes keep their pins at
    /// least until then.
    public var resolutionDeadline: RigTime
    /// When the client stops waiting, of a take for its beginning; nil waits until the shot is settled.
    public var answerDeadline: RigTime?
    /// Time between repetitions of prepare, fire and a failed write; at least 1 ms.
    public var repeatInterval: Duration
    /// How long changes of an open shot may wait for further ones before they are written.
    public var writeDelay: Duration

    public init(
        armDeadline: RigTime, resolutionDeadline: RigTime, answerDeadline: RigTime? = nil,
        repeatInterval: Duration = .milliseconds(250), writeDelay: Duration = .milliseconds(100)
    ) {
        self.armDeadline = armDeadline
        self.resolutionDeadline = max(resolutionDeadline, armDeadline)
        self.answerDeadline = answerDeadline
        self.repeatInterval = max(repeatInterval, .milliseconds(1))
        self.writeDelay = max(writeDelay, .zero)
    }

    /// The schedule of a shot that is taken on or resumed at `now`.
    /// - Parameters:
    ///   - time: T. Since nothing is chosen before it, cameras may be armed until then.
    ///   - arming: how long nodes may take to answer a prepare.
    ///   - grace: how long after T, or after the arm deadline where that is later, reports may take.
    ///   - timeout: the client's, counted from `now`.
    public init(
        time: RigTime, now: RigTime, arming: Duration = .seconds(1), grace: Duration = .seconds(3),
        timeout: Duration? = nil, repeatInterval: Duration = .milliseconds(250)
    ) {
        let armDeadline = max(now + arming, time)
        self.init(
            armDeadline: armDeadline, resolutionDeadline: armDeadline + grace,
            answerDeadline: timeout.map { now + $0 }, repeatInterval: repeatInterval)
    }
}
