import CaptureModel

/// The pressure on the machine, risen at once and fallen slowly, so that cameras are not closed and opened in turns.
///
/// | the figures stand for | effect |
/// |---|---|
/// | the present level, or a higher one | applied at once |
/// | a lower one, for less than `calm` | none |
/// | lower ones for `calm` | the highest of them is applied |
///
/// Cameras are interrupted from `shutdown` on until the level is `serious` or lower. A value without a clock.
struct PressureGauge: Sendable {
    /// Whether something is to be told.
    struct Change: OptionSet, Sendable {
        let rawValue: Int
        static let level = Change(rawValue: 1)
        static let interruption = Change(rawValue: 2)
    }

    private let calm: Duration
    private(set) var pressure = SystemPressure()
    /// Whether cameras are to be closed.
    private(set) var isInterrupting = false
    /// Since when the figures are lower, and the highest since.
    private var lower: (since: LocalTime, highest: SystemPressure)?

    init(calm: Duration) {
        self.calm = calm
    }

    mutating func update(_ reading: SystemPressure, at now: LocalTime) -> Change {
        let before = (level: pressure.level, isInterrupting: isInterrupting)
        apply(reading, now)
        if pressure.level == .shutdown { isInterrupting = true }
        if pressure.level <= .serious { isInterrupting = false }
        var change: Change = []
        if before.level != pressure.level { change.insert(.level) }
        if before.isInterrupting != isInterrupting { change.insert(.interruption) }
        return change
    }

    private mutating func apply(_ reading: SystemPressure, _ now: LocalTime) {
        guard reading.level < pressure.level else {
            pressure = reading
            lower = nil
            return
        }
        guard let (since, highest) = lower else {
            lower = (now, reading)
            return
        }
        let worst = reading.level >= highest.level ? reading : highest
        lower = (since, worst)
        guard now - since >= calm else { return }
        pressure = worst
        lower = worst.level > reading.level ? (now, reading) : nil
    }
}
