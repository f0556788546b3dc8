import CameraKit
import CaptureModel

/// Maps the instants that a camera gives its pictures, by its own clock, to this machine's clock. Pure.
///
/// Nothing is assumed of the camera's date. Of the pictures of the last seconds, the one that came the soonest by the camera's clock says how far
/// the two clocks are apart, and how long it was under way; the others are placed at its distance. So they are spaced as the camera says, not as
/// the network delivers them. How long the soonest picture was under way is not known here.
///
/// Assumed is that the camera's clock gains or loses at most 500 ppm. So the distance of a picture is doubted with its age, and another one
/// counts as the soonest although it is later by as much.
///
/// RTP's time of a picture (`mediaTime`) tells steps of the camera's clock: it does not have them. A step of up to 10 ms is a doubt, since
/// cameras write their sender reports with errors of milliseconds, and it is not known which of the two was right. A longer one is a jump:
/// the mapping begins again.
struct CameraClock {
    /// A picture's instant on this machine's clock.
    struct Reading: Hashable, Sendable {
        /// When it would have arrived if it had been under way as long as the soonest picture. Not after its arrival.
        var instant: LocalTime
        /// How far that may be from the truth, beside the time that the soonest picture was under way.
        var doubt: Duration
        /// Whether pictures have been compared for ``settling``. Before that the soonest one may have been late itself.
        var isSettled: Bool
    }

    /// For how long pictures are compared until one that was not held up is among them.
    static let settling = Duration.seconds(10)

    /// Steps of which it is not known which clock made them.
    static let largestStep = Duration.milliseconds(10)
    /// The difference of two instants of one picture that rounding explains.
    static let rounding = Duration.microseconds(25)
    /// A picture that is later than the soonest by more is of another clock.
    static let longestLag = Duration.seconds(60)

    /// How long RTP's 32 bits last.
    private let wrap: Duration
    private var last: (wallClock: Duration, mediaTime: Duration?, arrival: LocalTime)?
    /// From the camera's clock to this machine's, by the soonest picture.
    private var distance = Duration.zero
    private var found = LocalTime(nanoseconds: 0)
    private var began = LocalTime(nanoseconds: 0)
    /// What steps leave open.
    private var doubt = Duration.zero
    /// How often the camera's clock has jumped.
    private(set) var jumps: UInt64 = 0

    /// - Parameter wrap: How long RTP's 32 bits last.
    init(wrap: Duration) {
        self.wrap = wrap
    }

    /// Reads the instant of the next picture.
    /// - Parameters:
    ///   - wallClock: By the camera's clock, from any beginning.
    ///   - mediaTime: By RTP's clock, from any beginning; nil if it is not known.
    mutating func read(_ wallClock: Duration, mediaTime: Duration?, arrival: LocalTime) -> Reading {
        let step = step(to: wallClock, mediaTime)
        // The library counts 2³² units less from a wrap to the next report.
        let isWrapped = step.map { ($0 + wrap).magnitude <= Self.largestStep } ?? false
        let wallClock = isWrapped ? wallClock + wrap : wallClock
        let lag = Duration.nanoseconds(arrival.nanoseconds) - wallClock
        defer { last = (wallClock, mediaTime, arrival) }
        let isJump = !isWrapped && (step?.magnitude ?? .zero) > Self.largestStep || lag - distance > Self.longestLag
        guard last != nil, !isJump else {
            if last != nil { jumps += 1 }
            (distance, found, began, doubt) = (lag, arrival, arrival, .zero)
            return Reading(instant: arrival, doubt: .zero, isSettled: false)
        }
        note(isWrapped ? nil : step)
        let drift = Self.drift(in: arrival - found)
        let isSettled = arrival - began >= Self.settling
        guard lag > distance + drift else {
            // By as much as it is sooner, a step cannot have misled.
            doubt = max(.zero, doubt - (distance + drift - lag))
            (distance, found) = (lag, arrival)
            return Reading(instant: arrival, doubt: doubt, isSettled: isSettled)
        }
        return Reading(instant: arrival - (lag - distance), doubt: doubt + drift, isSettled: isSettled)
    }

    /// By how much the camera's clock has gone on further than RTP's since the picture before.
    private func step(to wallClock: Duration, _ mediaTime: Duration?) -> Duration? {
        guard let last, let mediaTime, let before = last.mediaTime else { return nil }
        return (wallClock - last.wallClock) - (mediaTime - before)
    }

    /// Doubts the distance by a step. If the step is the wall clock's, later pictures have a distance that is shorter by it.
    private mutating func note(_ step: Duration?) {
        guard let step, step.magnitude > Self.rounding else { return }
        distance = max(distance, distance - step)
        doubt += step.magnitude
    }

    private static func drift(in time: Duration) -> Duration { max(time, .zero) / 2000 }
}
