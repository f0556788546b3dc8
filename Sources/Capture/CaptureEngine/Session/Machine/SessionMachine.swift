public import CameraKit
public import CaptureModel

/// What a session does about its hardware; the table is in `docs/design/session.md`.
///
/// A value without clock and hardware: events in, actions out. Its owner carries every action out in order, and answers
/// ``Action/open`` with `opened` or `openFailed`, and ``Action/close`` with `closed`.
public struct SessionMachine: Sendable {
    /// How a session stands; the sentences say why and what to do.
    public enum State: Hashable, Sendable {
        /// Closed, because nothing needs it or somebody has stopped it.
        case stopped
        /// Being opened, or no good frame has come yet.
        case starting
        case running
        /// Being closed.
        case stopping
        /// Kept from running by an outer reason, or trying whether it is over.
        case interrupted(InterruptionReason, String)
        /// It failed while it ran; this is the attempt to have it back that is made or comes next, from 1.
        case restarting(attempt: Int, SessionTrouble)
        /// This process may not open the device.
        case notAuthorized(AuthorizationStatus, String)
        /// What was configured cannot be had.
        case configurationFailed(step: String, cause: String)
        /// It failed, and is not tried again until somebody says so.
        case failed(String)
    }

    /// What the machine knows of the hardware.
    public enum Hardware: Hashable, Sendable {
        case closed, opening, open, closing
    }

    /// How patient the machine is.
    public struct Limits: Hashable, Sendable {
        /// Failures in a row after which it gives up; a good period between two of them starts the count anew.
        public var failures: Int
        /// The waits between attempts: the first, doubled each time up to the last.
        public var firstRetry: Duration
        public var lastRetry: Duration

        public init(
            failures: Int = 10, firstRetry: Duration = .milliseconds(250), lastRetry: Duration = .seconds(5)
        ) {
            self.failures = failures
            self.firstRetry = firstRetry
            self.lastRetry = lastRetry
        }
    }

    public let limits: Limits
    public internal(set) var state = State.stopped
    public internal(set) var hardware = Hardware.closed
    /// What needs the session to run.
    public internal(set) var demands: Set<SessionDemand> = []
    /// Whether somebody has stopped it; then it stays stopped, whatever needs it, until somebody starts it.
    public internal(set) var isHeld = false
    /// Whether the session is being reconfigured, and its hardware closed for that.
    public internal(set) var isSuspended = false

    /// How far the format switch for a larger still has come; nil while there is none.
    public internal(set) var formatSwitch: FormatSwitch?

    /// What keeps the hardware closed until its end is told; nil where nothing does.
    public internal(set) var bar: SessionTrouble?

    /// Whether it has run since it was started or resumed.
    var hasRun = false
    /// Whether `didStartRunning` has been told and `didStopRunning` not yet.
    var isTold = false
    /// Failures since the last good period.
    var failures = 0
    var isRetryPlanned = false
    /// Whether the device has appeared since the hardware was last asked to open.
    var hasAppeared = false
    /// Whether somebody has asked for an attempt while the hardware was being closed.
    var isAskedFor = false
    var retry: RetryDelay

    public init(limits: Limits = Limits()) {
        self.limits = limits
        retry = RetryDelay(first: limits.firstRetry, last: limits.lastRetry)
    }

    public var isWanted: Bool { !isHeld && !isSuspended && !demands.isEmpty }

    /// Whether an attempt, or a closing, has come to its end: what was asked for is there, or has failed.
    public var isSettled: Bool { state == .running || hardware == .closed }
}
