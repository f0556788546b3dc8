import CaptureModel
import PosixSupport

extension PressureReading {
    /// One figure with the level it stands for.
    private struct Figure {
        var factor: SystemPressure.Factor
        var level: SystemPressure.Level
        var text: String
    }

    /// The pressure the figures stand for: the highest level of any, and whose it is.
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

    /// Trip points that are fans' say nothing: they are there to be reached.
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
