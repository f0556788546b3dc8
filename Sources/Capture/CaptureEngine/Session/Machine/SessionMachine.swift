public import CameraKit
public import CaptureModel

/// The decisions of a session about its hardware; the table is in `docs/design/session.md`.
///
/// A value without a clock or hardware: events in, actions out. Its owner carries out every action in order, and
/// answers ``Action/open`` with `opened` or `openFailed`, and ``Action/close`` with `closed`.
public struct SessionMachine: Sendable {
    /// The state of a session. The sentences say why and what to do.
    public enum State: Hashable, Sendable {
        /// Closed, because nothing needs it or because it was stopped.
        case stopped
        /// Being opened, or without a good frame yet.
        case starting
        case running
        /// Being closed.
        case stopping
        /// Prevented from running by an external reason, or testing whether it is over.
        case interrupted(InterruptionReason, String)
        /// It failed. Carries the number, from 1, of the present or next attempt to restart it.
        case restarting(attempt: Int, SessionFailure)
        /// This process may not open the device.
        case notAuthorized(AuthorizationStatus, String)
        /// The configuration is not possible.
        case configurationFailed(step: String, cause: String)
        /// It failed too often in a row, and is not retried until somebody requests it.
        case failed(String)
    }

    /// The known state of the hardware.
    public enum Hardware: Hashable, Sendable {
        case closed, opening, open, closing
    }

    /// The limits of the machine's retries.
    public struct Limits: Hashable, Sendable {
        /// Failures in a row after which it gives up. A good period between two of them restarts the count.
        public var failures: Int
        /// The delays between attempts: the first, doubled each time up to the last.
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
    /// Whether it was stopped by a command. Then it stays stopped, whatever needs it, until it is started by a command.
    public internal(set) var isHeld = false
    /// Whether the session is being reconfigured, and its hardware closed for that.
    public internal(set) var isSuspended = false

    /// The progress of the format switch for a larger still; nil if there is none.
    public internal(set) var formatSwitch: FormatSwitch?

    /// What keeps the hardware closed until it ends; nil if nothing does.
    public internal(set) var bar: SessionFailure?

    /// Whether it has run after it was started or resumed.
    var hasRun = false
    /// Whether `didStartRunning` has been reported and `didStopRunning` has not.
    var isTold = false
    /// Failures after the last good period.
    var failures = 0
    var isRetryPlanned = false
    /// Whether the device has appeared after the hardware was last requested to open.
    var hasAppeared = false
    /// Whether an attempt was requested while the hardware was being closed.
    var isAskedFor = false
    var retry: RetryDelay

    public init(limits: Limits = Limits()) {
        self.limits = limits
        retry = RetryDelay(first: limits.firstRetry, last: limits.lastRetry)
    }

    public var isWanted: Bool { !isHeld && !isSuspended && !demands.isEmpty }

    /// Whether an attempt, or a closing, has ended, successfully or not.
    public var isIdle: Bool { state == .running || hardware == .closed }
}

/// A machine's state, as a session's condition reports it.
extension SessionMachine {
    /// What the last attempt showed about the permission to open the device.
    var authorization: AuthorizationStatus {
        switch state {
        case .notAuthorized(let status, _): status
        case .interrupted(.accessRevoked, _): .denied
        default: hasRun || hardware == .open ? .authorized : .notDetermined
        }
    }
}

extension SessionMachine.State {
    var phase: SessionCondition.Phase {
        switch self {
        case .stopped: .stopped
        case .starting: .starting
        case .running: .running
        case .stopping: .stopping
        case .interrupted: .interrupted
        case .restarting: .restarting
        case .notAuthorized: .notAuthorized
        case .configurationFailed: .configurationFailed
        case .failed: .failed
        }
    }

    var interruption: InterruptionReason? {
        if case .interrupted(let reason, _) = self { reason } else { nil }
    }

    var attempt: Int? {
        if case .restarting(let attempt, _) = self { attempt } else { nil }
    }

    var failedStep: String? {
        if case .configurationFailed(let step, _) = self { step } else { nil }
    }
}

/// A running session that leaves its stream's format for a still larger than the stream's frames, and returns.
///
/// It is `interrupted(largerPhoto)` from the first step to the last. Any other event (a stop, a failure of the stream
/// on its way back) ends the format switch.
extension SessionMachine {
    /// The progress of a format switch.
    public enum FormatSwitch: Hashable, Sendable {
        /// The stream is being closed.
        case leaving
        /// The still's format is being opened, or is open.
        case away
        /// The still's format is being closed, or the stream's is being opened or has had no good frame yet.
        case returning
    }

    /// Closes the stream of a running session, to open the still's format.
    mutating func depart(for why: String) -> [Action] {
        guard state == .running, hardware == .open else { return [] }
        let notices = enter(SessionFailure(.interruption(.largerPhoto), why))
        formatSwitch = .leaving
        hardware = .closing
        return notices + [.close]
    }

    /// Ends the time away: the still's frames have arrived, or are given up.
    mutating func returnToStream() -> [Action] {
        switch formatSwitch {
        case .leaving:
            // The stream is being closed, and will be opened instead of the other format.
            formatSwitch = .returning
            return []
        case .away:
            return turnBack()
        case .returning, nil:
            return []
        }
    }

    /// Closes the still's format, whether it is open or still being opened.
    mutating func turnBack() -> [Action] {
        formatSwitch = .returning
        hardware = .closing
        return [.close]
    }

    /// Opens the format that the switch needs next, when the hardware is closed.
    mutating func continueSwitch(_ formatSwitch: FormatSwitch) -> [Action] {
        self.formatSwitch = formatSwitch == .leaving ? .away : .returning
        return open()
    }
}

/// A notice of a session, named after AVFoundation (`AVCaptureSession`'s notifications).
public enum SessionNotice: Hashable, Sendable {
    /// The first good frame has arrived.
    case didStartRunning
    /// No more frames arrive, for any reason. Exactly one for each `didStartRunning`.
    case didStopRunning
    /// An external reason keeps the session from running.
    case wasInterrupted(InterruptionReason, String)
    /// That reason is over, or does not count because the session was stopped or failed. Exactly one for each
    /// `wasInterrupted`, before the next.
    case interruptionEnded(InterruptionReason)
    /// Device or driver failed. `attempt` is the number of the restart that follows; nil if none does.
    case runtimeError(String, attempt: Int?)
}
