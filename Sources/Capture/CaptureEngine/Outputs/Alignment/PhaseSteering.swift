import CameraKit
import CaptureModel

/// Decides when and by how much the exposures of a camera are moved, so that they stay at the instants of a ``PhaseGrid``. A value without a
/// clock or a camera: events in, actions out.
///
/// | state | a frame | the action is carried out | it is refused | the stream closes | another opens |
/// |---|---|---|---|---|---|
/// | closed | – | – | – | – | measuring |
/// | measuring | measuring; acting, when a measurement is complete and asks for a move | – | – | closed | measuring |
/// | acting | – | measuring, from the frames on that have the move | measuring | closed | measuring |
///
/// A measurement is the median of the lateness of eight frames. The move is such that the *next* measurement, with the drift until then,
/// is expected to be in the middle of the grid's instant. It is left out if it is within what the measurement is unsure by.
///
/// A camera is `unmovable` if nothing moves it, if it has ignored or refused three moves in a row, if its exposures are irregular, or if
/// restarts would exceed their budget. Whatever it is, its lateness is measured.
struct PhaseSteering: Sendable {
    /// What its owner carries out and answers with ``moved(by:at:)``, ``refused(_:at:)`` or, for a restart, the next opening.
    enum Action: Hashable, Sendable {
        case shift(Duration)
        /// Close and open the stream.
        case restart
    }

    /// Moves smaller than this are not made.
    static let leastMove = Duration.microseconds(10)
    /// Longer moves, and restarts, wait until no capture is in progress: they tear a gap into its frames.
    static let smallMove = Duration.milliseconds(1)
    /// Moves in a row that a camera may ignore or refuse.
    static let failureLimit = 3
    /// A move that is at least so long shows in the next measurement, or was ignored.
    private static let noticeableMove = Duration.microseconds(100)

    private enum State: Hashable {
        case closed
        /// The measurement begins with the first frame that is exposed at this instant or later.
        case measuring(from: LocalTime)
        case acting
    }

    private let request: AlignmentRequest
    private var state = State.closed
    private var control = PhaseControl.none("")
    private var grid = PhaseGrid(interval: .seconds(1))
    private var window = PhaseWindow()
    /// The newest measurement of this stream.
    private var newest: PhaseMeasurement?
    /// By how much it was moved since then.
    private var move = Duration.zero
    private var drift = PhaseDrift()
    private var isSynchronized = true
    /// Whether a move waits for the end of captures.
    private var isWaiting = false
    /// Moves in a row without effect, and those that were refused, with the last reason.
    private var ignored = 0
    private var refusals = 0
    private var refusal = ""
    private var corrections = 0
    private var restarts = 0
    /// When the restart in progress began, and how long those before took until their phase was known.
    private var restartBegan: LocalTime?
    private var restartTime = Duration.zero

    init(_ request: AlignmentRequest) {
        self.request = request
    }

    // MARK: Events

    /// Notes that a stream is open.
    mutating func opened(_ control: PhaseControl, interval: Duration, at now: LocalTime) {
        self.control = control
        grid = PhaseGrid(interval: interval)
        drift = PhaseDrift()
        (ignored, refusals, newest) = (0, 0, nil)
        measure(from: now)
    }

    /// Notes that the stream is closed.
    mutating func closed() {
        (state, newest, isWaiting) = (.closed, nil, false)
    }

    /// Notes a frame.
    /// - Parameters:
    ///   - time: Its mid-exposure; nil while the node has no clock estimate.
    ///   - instant: The same on the node's clock.
    ///   - isFree: Whether no capture is in progress that a long move would disturb.
    /// - Returns: What is to be done.
    mutating func note(_ time: BoundedRigTime?, at instant: LocalTime, isFree: Bool) -> Action? {
        guard case .measuring(let start) = state, instant >= start else { return nil }
        guard let time else {
            (isSynchronized, newest, window) = (false, nil, PhaseWindow())
            return nil
        }
        isSynchronized = true
        guard let measured = window.add(grid.lateness(of: time.time), bound: time.bound, at: instant, in: grid)
        else { return nil }
        learn(from: measured)
        (newest, move) = (measured, .zero)
        return decide(measured, isFree)
    }

    /// Notes that the camera has accepted a shift.
    mutating func moved(by shift: Duration, at now: LocalTime) {
        guard state == .acting else { return }
        (move, refusals) = (shift, 0)
        corrections += 1
        measure(from: now + settling)
    }

    /// Notes that the camera has refused a shift.
    mutating func refused(_ reason: String, at now: LocalTime) {
        guard state == .acting else { return }
        refusals += 1
        refusal = reason
        measure(from: now)
    }

    /// Notes that a restart has ended, whether the stream is open again or not.
    mutating func restartEnded(at now: LocalTime) {
        if state == .acting { measure(from: now) }
    }

    private mutating func measure(from instant: LocalTime) {
        (state, window) = (.measuring(from: instant), PhaseWindow())
    }

    /// The time after a move in which frames may still have the phase of before.
    private var settling: Duration {
        guard case .steps(let steps) = control else { return .zero }
        return grid.interval * max(steps.settlingFrames, 0)
    }

    // MARK: Decisions

    /// Compares a measurement with what was expected after the one before.
    private mutating func learn(from measured: PhaseMeasurement) {
        if let began = restartBegan {
            restartTime += measured.end - began
            restartBegan = nil
        }
        guard let newest else { return }
        let time = measured.middle - newest.middle
        let change = grid.shortest(measured.lateness - newest.lateness - move)
        let unexpected = (change - drift.change(in: time)).magnitude
        if move.magnitude > max(Self.noticeableMove, measured.variation * 2) {
            ignored = unexpected > move.magnitude / 2 ? ignored + 1 : 0
        }
        // A step of the rig's time, or a camera that ignores a move, is not a drift.
        let most = Duration.nanoseconds(Int64(PhaseDrift.limit * Double(time.nanoseconds))) + measured.variation
        if change.magnitude <= most { drift.note(change, in: time) }
    }

    private mutating func decide(_ measured: PhaseMeasurement, _ isFree: Bool) -> Action? {
        isWaiting = false
        guard obstacle == nil else { return nil }
        switch control {
        case .none: return nil
        case .restart: return restart(measured, isFree)
        case .steps(let steps): return shift(measured, steps, isFree)
        }
    }

    private mutating func shift(_ measured: PhaseMeasurement, _ steps: PhaseSteps, _ isFree: Bool) -> Action? {
        let expected = measured.lateness + drift.change(in: measured.duration + settling)
        guard expected.magnitude > max(Self.leastMove, steps.step / 2, measured.variation / 4) else { return nil }
        let wish = grid.shortest(.zero - expected)
        let move = steps.move(toward: [wish, wish + grid.interval, wish - grid.interval])
        let isSmall = move.magnitude <= Self.smallMove
        // A camera that cannot go back a little would have to go on nearly a whole interval.
        guard move != .zero, isSmall || expected.magnitude > request.tolerance else { return nil }
        guard isFree || isSmall else {
            isWaiting = true
            return nil
        }
        state = .acting
        return .shift(move)
    }

    private mutating func restart(_ measured: PhaseMeasurement, _ isFree: Bool) -> Action? {
        guard measured.lateness.magnitude > request.tolerance else { return nil }
        guard isFree else {
            isWaiting = true
            return nil
        }
        (state, restartBegan) = (.acting, measured.end)
        restarts += 1
        return .restart
    }

    // MARK: Reports

    /// Why nothing moves the camera; nil if something does. A sentence without its subject.
    private var obstacle: String? {
        if let newest, newest.variation > grid.interval / 4 {
            return
                "its exposures are irregular, by \(newest.variation.text) from frame to frame: it has another rate than its format states, or its stamps are poor"
        }
        switch control {
        case .none(let reason): return reason
        case .restart where request.restartBudget == .zero:
            return
                "only a restart moves its exposures; allow restarts for some time, as in `capctl sync align --restarts 1min`"
        case .restart where restartTime >= request.restartBudget && !isNear:
            return
                "\(restarts) restarts in \(restartTime.text) have not brought its exposures within \(request.tolerance.text); allow a larger distance or more time"
        case .restart: return nil
        case .steps:
            if ignored >= Self.failureLimit {
                return "it has accepted \(ignored) moves in a row, and its exposures have stayed where they were"
            }
            return refusals >= Self.failureLimit ? "it has refused \(refusals) moves in a row: \(refusal)" : nil
        }
    }

    /// Whether its exposures are where they are to be.
    private var isNear: Bool { newest.map { $0.lateness.magnitude <= request.tolerance } ?? false }

    /// How well the camera is aligned.
    var condition: CameraAlignment {
        var condition = CameraAlignment(
            state: .aligning, lateness: newest?.lateness, bound: newest?.bound, corrections: corrections,
            restarts: restarts)
        if state == .closed {
            condition.reason = "it does not stream"
        } else if let obstacle {
            (condition.state, condition.reason) = (.unmovable, obstacle)
        } else if !isSynchronized {
            condition.reason = "its node has no clock estimate"
        } else if isNear {
            condition.state = .aligned
        } else if isWaiting {
            condition.reason = "captures are in progress; it is moved when they have ended"
        }
        return condition
    }
}
