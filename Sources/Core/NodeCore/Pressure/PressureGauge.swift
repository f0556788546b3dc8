import CaptureModel
import PosixSupport

/// The pressure on the machine. It rises at once and falls slowly, so that cameras do not alternate between closed and
/// open.
///
/// | level of the figures | effect |
/// |---|---|
/// | the present level, or a higher one | applied at once |
/// | lower, for less than `calm` | none |
/// | lower, for `calm` | the highest of these levels is applied |
///
/// Cameras are interrupted at `shutdown`, until the level is `serious` or lower. A value without a clock.
struct PressureGauge: Sendable {
    /// The changes to report.
    struct Change: OptionSet, Sendable {
        let rawValue: Int
        static let level = Change(rawValue: 1)
        static let interruption = Change(rawValue: 2)
    }

    private let calm: Duration
    private(set) var pressure = SystemPressure()
    /// Whether cameras must be closed.
    private(set) var isInterrupting = false
    /// The start of the period of lower figures, and the highest figures in it.
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

/// The kernel's pressure figures at one moment; nil and empty if the kernel provides none.
struct PressureReading: Hashable, Sendable {
    var cpu: StallInformation?
    var memory: StallInformation?
    var io: StallInformation?
    var zones: [ThermalZone] = []

    /// Where the kernel publishes the figures; tests use another tree.
    struct Source: Hashable, Sendable {
        var stalls = "/proc/pressure"
        var zones = "/sys/class/thermal"

        /// Reads everything; sensors may take some milliseconds.
        func read() -> PressureReading {
            PressureReading(
                cpu: .read("cpu", in: stalls), memory: .read("memory", in: stalls), io: .read("io", in: stalls),
                zones: ThermalZone.all(in: zones))
        }
    }

    /// The missing sources, as a sentence for people; nil if none is missing.
    var gap: String? {
        let hasStalls = cpu != nil || memory != nil || io != nil
        let hasTrips = zones.contains { !$0.tripPoints.isEmpty }
        switch (hasStalls, hasTrips) {
        case (true, true): return nil
        case (true, false): return "no thermal zone with trip points in /sys/class/thermal: heat is not monitored"
        case (false, true): return "no /proc/pressure (CONFIG_PSI, boot option psi=1): load is not monitored"
        case (false, false):
            return "neither /proc/pressure (CONFIG_PSI, boot option psi=1) nor thermal zones with trip points"
        }
    }

    /// Whether no figure is available.
    var isEmpty: Bool { cpu == nil && memory == nil && io == nil && !zones.contains { !$0.tripPoints.isEmpty } }
}

extension PressureReading {
    /// One figure with the level that it represents.
    private struct Figure {
        var factor: SystemPressure.Factor
        var level: SystemPressure.Level
        var text: String
    }

    /// Returns the pressure that the figures represent: the highest level, and the factors that have it.
    func pressure(by thresholds: PressureThresholds) -> SystemPressure {
        let figures = stalls(thresholds) + zones.map { Self.figure(of: $0, margin: thresholds.margin) }
        let level = figures.map(\.level).max() ?? .nominal
        guard level > .nominal else { return SystemPressure() }
        var pressure = SystemPressure(level: level)
        let culprits = figures.filter { $0.level == level }
        for culprit in culprits where !pressure.factors.contains(culprit.factor) {
            pressure.factors.append(culprit.factor)
        }
        pressure.reason = culprits.map(\.text).joined(separator: "; ")
        return pressure
    }

    private func stalls(_ thresholds: PressureThresholds) -> [Figure] {
        var figures: [Figure] = []
        if let cpu {
            figures.append(
                Figure(
                    factor: .cpu, level: thresholds.cpu.level(cpu.some),
                    text: "tasks wait for a processor \(Self.percent(cpu.some)) of the time"))
        }
        if let stalled = memory?.full {
            figures.append(
                Figure(
                    factor: .memory, level: thresholds.memory.level(stalled),
                    text: "all tasks wait for memory \(Self.percent(stalled)) of the time"))
        }
        if let stalled = io?.full {
            figures.append(
                Figure(
                    factor: .io, level: thresholds.io.level(stalled),
                    text: "all tasks wait for a disk \(Self.percent(stalled)) of the time"))
        }
        return figures
    }

    /// Returns the figure of a zone. Trip points of fans do not count: they are meant to be reached.
    private static func figure(of zone: ThermalZone, margin: Double) -> Figure {
        let margin = Int(margin * 1000)
        let levels = zone.tripPoints.map { point -> SystemPressure.Level in
            let above = zone.millidegrees - point.millidegrees
            switch point.kind {
            case .critical: return above >= -margin ? .shutdown : .nominal
            case .hot: return above >= 0 ? .critical : .nominal
            case .passive: return above >= 0 ? .serious : above >= -margin ? .fair : .nominal
            case .active: return .nominal
            }
        }
        return Figure(
            factor: .temperature, level: levels.max() ?? .nominal,
            text: "\(zone.type) is at \(zone.millidegrees / 1000) °C")
    }

    private static func percent(_ value: Double) -> String { "\(Int(value.rounded())) %" }
}
