import CaptureModel

/// Places the times that a USB camera gives its frames, by its clock, on this machine's clock. Pure.
///
/// The headers of a frame's payloads have readings of the camera's clock, each with the number of the USB frame in which it was made, and
/// the driver has added its time and the host controller's number of then. So a reading was made as many milliseconds before the driver's
/// time as these numbers differ, and ``UVCClockLine`` maps the camera's clock to this machine's. By it, the time at which the camera began
/// to capture the frame is an instant of this machine. What "began to capture" is differs from maker to maker.
///
/// Nothing of this is believed without a check. Cameras are known that send none of these numbers, zeros, or those of other clocks.
///
/// | state | meaning | left |
/// |---|---|---|
/// | settling | pairs are collected | for *proving* if ``settlingPairs`` of ``settlingTime`` are on a line; else by a strike |
/// | proving | the line holds | for *placed* if ``provingFrames`` frames in a row agree: in order, and equally long before their arrival |
/// | placed | frames are placed | for *proving* if the times of too many frames contradict the others |
/// | refused | the clock is not used in this stream | never |
///
/// From *proving* and *placed*, too many pairs that contradict the line lead to *settling* by a strike, and two seconds without a pair lead
/// there without one. A line that has held for ``forgivingTime`` forgives the strikes before; the third one refuses the clock. So do
/// missing numbers, a least delay that has moved, and a clock that cannot be proved. Frames that contradict are not placed in any state.
struct UVCClock: Sendable {
    /// When a frame was captured.
    struct Reading: Hashable, Sendable {
        /// When the camera began to capture the frame, as it says.
        var instant: LocalTime
        /// How far that may be from the time that the camera's clock showed, because of the mapping.
        var doubt: Duration
        /// From `instant` to the arrival of the frame's first payload. Not less than zero, apart from the doubt.
        var lag = Duration.zero
    }

    enum State: Hashable, Sendable {
        case settling
        case proving
        case placed
        case refused(Refusal)
    }

    /// Why a camera's clock is not used. The raw value completes "the camera's clock is not used: …".
    enum Refusal: String, Hashable, Sendable {
        case noReadings = "the headers of its frames do not have it"
        case hostFrames = "the host controller does not number USB frames"
        case cameraFrames = "the camera numbers USB frames otherwise than the host controller"
        case contradictions = "its readings contradict each other"
        case captureTimes = "the times of its frames contradict each other or their arrival"
    }

    static let settlingPairs = 48
    static let settlingTime = Duration.seconds(2)
    static let provingFrames = 32
    static let forgivingTime = Duration.seconds(600)
    private static let strikeLimit = 3
    /// Pairs in less than ``settlingTime`` that cannot be of one clock.
    private static let mostSettlingPairs = 512
    /// The most delay of a payload of a camera that numbers USB frames as its host does, and the most of the least delay.
    private static let (longestDelay, longestLeastDelay) = (32, 8)
    /// By how much the least delay may move: a camera that counts frames by its own clock drifts away.
    private static let delayDrift = 2
    /// Without a pair for this time, the line is too old, and first pairs do not belong together.
    private static let longestGap = Duration.seconds(2)
    /// Frames without a reading after which none is expected.
    private static let framesWithoutReading = 200
    /// Frames after which a clock that could not be proved is refused.
    private static let framesWithoutProof = 300
    /// Times after the arrival are wrong, apart from the error of the line; and those long before it.
    private static let (tooLate, tooEarly) = (Duration.nanoseconds(UVCClockLine.tolerance), Duration.seconds(1))
    /// An instant of the driver is not after the frame was dequeued, and not long before.
    private static let longestQueue = Duration.seconds(10)

    private enum Step {
        case settling(Settling)
        case proving(Mapping, Run, frames: Int)
        case placed(Mapping, Run)
        case refused(Refusal)
    }

    private let frameInterval: Duration
    private var step = Step.settling(Settling())
    private var strikes = 0

    /// - Parameter frameInterval: As the driver states it.
    init(frameInterval: Duration) {
        self.frameInterval = frameInterval
    }

    var state: State {
        switch step {
        case .settling: .settling
        case .proving: .proving
        case .placed: .placed
        case .refused(let refusal): .refused(refusal)
        }
    }

    /// The root of the mean square of the distances of readings from the line; nil without a line.
    var scatter: Duration? {
        switch step {
        case .proving(let mapping, _, _), .placed(let mapping, _): mapping.line.scatter
        case .settling, .refused: nil
        }
    }

    /// Reads the headers of the next frame.
    /// - Parameters:
    ///   - headers: In order; none if the driver has delivered none for this frame.
    ///   - dequeued: When the frame was taken from the driver.
    /// - Returns: When it was captured; nil if the clock does not say so, or is not trusted to.
    mutating func read(_ headers: [UVCPayloadHeader], dequeued: LocalTime) -> Reading? {
        let usable = headers.filter { (Duration.zero...Self.longestQueue).contains(dequeued - $0.arrival) }
        let pair = usable.lazy.compactMap(UVCClockPair.init).first
        switch step {
        case .settling(let settling):
            settle(settling, pair)
            return nil
        case .proving(let mapping, let run, let frames):
            guard let next = follow(mapping, pair, dequeued) else { return nil }
            prove(next, run, frames + 1, usable)
            return nil
        case .placed(let mapping, let run):
            guard let next = follow(mapping, pair, dequeued) else { return nil }
            return place(next, run, usable)
        case .refused:
            return nil
        }
    }

    // MARK: Settling

    /// The first pairs.
    private struct Settling {
        var pairs: [UVCClockPair] = []
        var framesWithoutReading = 0

        /// Whether the pairs are enough for a line.
        var isEnough: Bool {
            guard let first = pairs.first, let last = pairs.last else { return false }
            return pairs.count >= UVCClock.settlingPairs && last.arrival - first.arrival >= UVCClock.settlingTime
        }

        mutating func add(_ pair: UVCClockPair) {
            guard let last = pairs.last else {
                pairs = [pair]
                return
            }
            // Their times may be wrong by up to 255 ms, while the numbers of USB frames are not checked.
            let gap = pair.arrival - last.arrival
            if gap > UVCClock.longestGap {
                pairs = [pair]
            } else if gap >= UVCClockLine.spacing {
                pairs.append(pair)
            }
        }
    }

    private mutating func settle(_ old: Settling, _ pair: UVCClockPair?) {
        var settling = old
        guard let pair else {
            settling.framesWithoutReading += 1
            step =
                settling.framesWithoutReading >= Self.framesWithoutReading
                ? .refused(.noReadings) : .settling(settling)
            return
        }
        settling.framesWithoutReading = 0
        settling.add(pair)
        step = .settling(settling)
        guard settling.pairs.count >= Self.settlingPairs else { return }
        if Set(settling.pairs.map(\.hostFrame)).count == 1 {
            step = .refused(.hostFrames)
        } else if !Self.areOfOneBus(settling.pairs) {
            strike(.cameraFrames)
        } else if settling.isEnough {
            let good = settling.pairs.filter { $0.delay <= Self.longestDelay }
            guard let line = UVCClockLine(good) else { return strike(.contradictions) }
            step = .proving(Mapping(line: line, since: line.newest), Run(), frames: 0)
        } else if settling.pairs.count >= Self.mostSettlingPairs {
            strike(.contradictions)
        }
    }

    /// Whether camera and host may number the same USB frames.
    private static func areOfOneBus(_ pairs: [UVCClockPair]) -> Bool {
        let least = pairs.map(\.delay).min() ?? 0
        let good = pairs.count { $0.delay <= longestDelay }
        return least <= longestLeastDelay && good * 8 >= pairs.count * 7
    }

    private mutating func strike(_ refusal: Refusal) {
        strikes += 1
        step = strikes >= Self.strikeLimit ? .refused(refusal) : .settling(Settling())
    }

    // MARK: The line

    /// A line, and how well later pairs have agreed with it.
    private struct Mapping {
        var line: UVCClockLine
        /// When it was found.
        let since: LocalTime
        /// The least delay of the pairs then.
        let leastDelay: Int
        /// Whether each of the last pairs was wrong, the newest one in the lowest bit.
        var wrong = UInt32(0)
        /// The newest frame's reading, without wraps; nil if it had none, or a wrong one.
        var reading: Int64?
        /// When the camera's clock was read for the last time, and the pair was right.
        var followed: LocalTime

        init(line: UVCClockLine, since: LocalTime) {
            self.line = line
            self.since = since
            leastDelay = line.leastDelay
            followed = since
        }
    }

    /// Whether so many of the last 32 are wrong that these are not single errors.
    private static func areMany(_ wrong: UInt32) -> Bool { wrong.nonzeroBitCount > 8 }

    /// Adds the pair of the next frame to the line.
    /// - Returns: nil if the frame cannot be placed, and the step was taken.
    private mutating func follow(_ old: Mapping, _ pair: UVCClockPair?, _ dequeued: LocalTime) -> Mapping? {
        var mapping = old
        mapping.reading = nil
        if let pair {
            mapping.reading = pair.delay <= Self.longestDelay ? mapping.line.add(pair) : nil
            mapping.wrong = mapping.wrong << 1 | (mapping.reading == nil ? 1 : 0)
            if mapping.reading != nil { mapping.followed = pair.time }
        }
        if Self.areMany(mapping.wrong) {
            if mapping.followed - mapping.since >= Self.forgivingTime { strikes = 0 }
            strike(.contradictions)
            return nil
        }
        if abs(mapping.line.leastDelay - mapping.leastDelay) > Self.delayDrift {
            // Another line would drift away too.
            step = .refused(.cameraFrames)
            return nil
        }
        // Frames that waited for the thread are old, but not without a pair.
        if mapping.reading == nil, dequeued - mapping.followed > Self.longestGap {
            step = .settling(Settling())
            return nil
        }
        return mapping
    }

    // MARK: The frames

    /// Frames whose times agree with each other.
    private struct Run {
        /// The times from the beginnings of the newest of them to their arrivals.
        var lags: [Duration] = []
        var last: LocalTime?
        /// Whether each of the last frames was wrong, the newest one in the lowest bit.
        var wrong = UInt32(0)

        var middle: Duration? { lags.isEmpty ? nil : lags.sorted()[lags.count / 2] }

        mutating func add(_ frame: Beginning) {
            lags = (lags + [frame.lag]).suffix(UVCClock.provingFrames)
            last = frame.instant
        }
    }

    /// When a frame began, and how long that was before its arrival.
    private struct Beginning {
        var instant: LocalTime
        var lag: Duration
    }

    /// Returns what the camera says of a frame; nil if it says nothing, or what cannot be.
    private static func beginning(_ mapping: Mapping, _ headers: [UVCPayloadHeader]) -> Beginning? {
        let told = headers.filter { $0.captureTicks != nil }
        guard let reading = mapping.reading, let first = told.first, let ticks = first.captureTicks,
            told.allSatisfy({ $0.captureTicks == ticks }),
            let captured = mapping.line.unwrapped(ticks, notAfter: reading, slack: tooLate)
        else { return nil }
        let instant = mapping.line.time(of: captured)
        let lag = first.arrival - instant
        return (Duration.zero - tooLate...tooEarly).contains(lag) ? Beginning(instant: instant, lag: lag) : nil
    }

    /// Whether a frame began after the one before, and about as long before its arrival as the others.
    private func agrees(_ frame: Beginning, with run: Run) -> Bool {
        if let last = run.last, frame.instant - last < frameInterval / 4 { return false }
        guard let middle = run.middle else { return true }
        return (frame.lag - middle).magnitude <= frameInterval / 2 + Self.tooLate
    }

    private mutating func prove(_ mapping: Mapping, _ old: Run, _ frames: Int, _ headers: [UVCPayloadHeader]) {
        guard frames < Self.framesWithoutProof else {
            step = .refused(.captureTimes)
            return
        }
        // Metadata that were lost prove nothing.
        guard !headers.isEmpty else {
            step = .proving(mapping, old, frames: frames)
            return
        }
        var run = old
        if let frame = Self.beginning(mapping, headers) {
            // Of a frame that contradicts the run, it is not known which of the two is wrong.
            if !agrees(frame, with: run) { run = Run() }
            run.add(frame)
        } else {
            run = Run()
        }
        step =
            run.lags.count >= Self.provingFrames
            ? .placed(mapping, run) : .proving(mapping, run, frames: frames)
    }

    private mutating func place(_ mapping: Mapping, _ old: Run, _ headers: [UVCPayloadHeader]) -> Reading? {
        guard !headers.isEmpty else {
            step = .placed(mapping, old)
            return nil
        }
        var run = old
        let frame = Self.beginning(mapping, headers).flatMap { agrees($0, with: old) ? $0 : nil }
        run.wrong = run.wrong << 1 | (frame == nil ? 1 : 0)
        if let frame { run.add(frame) }
        guard !Self.areMany(run.wrong) else {
            step = .proving(mapping, Run(), frames: 0)
            return nil
        }
        step = .placed(mapping, run)
        return frame.map { Reading(instant: $0.instant, doubt: mapping.line.doubt, lag: $0.lag) }
    }
}
