import CaptureModel

/// What moves the phase of a camera's exposures: the places of its frames in time, while their interval stays.
public enum PhaseControl: Hashable, Sendable {
    /// ``CameraStream/shiftPhase(by:)``, by making single frames longer or shorter.
    case steps(PhaseSteps)
    /// Each start of the stream, to a phase that nobody knows before.
    case restart
    /// Nothing. A sentence without its subject says why.
    case none(String)

    /// What kinds of cameras have that say nothing else.
    public static let fixed = PhaseControl.none("nothing moves the exposures of this kind of camera")
}

/// By how much the phase of a camera can be moved at once.
public struct PhaseSteps: Hashable, Sendable {
    /// Every move is a multiple of it; at least a nanosecond.
    public var step: Duration
    /// The shortest and the longest move at once. A negative one makes frames earlier.
    public var range: ClosedRange<Duration>
    /// The frames after the acceptance of a move that may still have the phase of before.
    public var settlingFrames: Int

    public init(step: Duration, range: ClosedRange<Duration>, settlingFrames: Int) {
        self.step = max(step, .nanoseconds(1))
        self.range = range
        self.settlingFrames = settlingFrames
    }

    /// Returns the first move on the way to one of several shifts that lead to the same phase: the one that takes the fewest moves, and of
    /// these the shortest. Zero if it is less than half a step, or if none can be reached.
    package func move(toward shifts: [Duration]) -> Duration {
        let ways = shifts.compactMap { shift -> (count: Int64, shift: Duration)? in
            let limit = (shift < .zero ? min(range.lowerBound, .zero) : max(range.upperBound, .zero)).magnitude
            guard limit > .zero else { return nil }
            let (count, rest) = shift.magnitude.nanoseconds.quotientAndRemainder(dividingBy: limit.nanoseconds)
            return (count + (rest > 0 ? 1 : 0), shift)
        }
        let best = ways.min { ($0.count, $0.shift.magnitude) < ($1.count, $1.shift.magnitude) }
        guard let shift = best?.shift else { return .zero }
        let steps = (shift.magnitude.nanoseconds + step.nanoseconds / 2) / step.nanoseconds
        let move = step * Int(clamping: steps)
        return shift < .zero ? max(.zero - move, range.lowerBound) : min(move, range.upperBound)
    }
}
