import CaptureEngine
import CaptureModel
import Logging
import PosixSupport

/// Watches the pressure on the machine. Stores it for heartbeats, publishes its changes, and closes the cameras while
/// it is too high. Runs on a separate thread, because a sensor may respond slowly.
actor PressureWatch {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The interval at which the kernel updates its averages.
    static let interval = Duration.seconds(2)

    private nonisolated let executor: ThreadExecutor
    private nonisolated let health: NodeHealth
    private let source: PressureReading.Source
    private let thresholds: PressureThresholds
    private let sessions: [CaptureSession]
    private let events: NodeEvents
    private let clock: any TimeSource
    private let log: Logger
    private var gauge: PressureGauge

    init(
        source: PressureReading.Source = PressureReading.Source(), thresholds: PressureThresholds, health: NodeHealth,
        sessions: [CaptureSession], events: NodeEvents, clock: any TimeSource, executor: ThreadExecutor, log: Logger
    ) {
        self.source = source
        self.thresholds = thresholds
        self.health = health
        self.sessions = sessions
        self.events = events
        self.clock = clock
        self.executor = executor
        self.log = log
        gauge = PressureGauge(calm: thresholds.calm)
    }

    /// Runs until the task is cancelled. Ends at once if the machine provides no figures.
    func run() async {
        let first = source.read()
        if let gap = first.gap {
            log.notice("some pressure figures of this machine are not available", metadata: ["gap": "\(gap)"])
        }
        guard !first.isEmpty else { return }
        await apply(first)
        while true {
            do { try await clock.sleep(for: Self.interval) } catch { return }
            await apply(source.read())
        }
    }

    private func apply(_ reading: PressureReading) async {
        let change = gauge.update(reading.pressure(by: thresholds), at: clock.now())
        let pressure = gauge.pressure
        health.update { $0.pressure = pressure }
        if change.contains(.interruption) {
            for session in sessions { await session.systemPressure(interrupts: gauge.isInterrupting, pressure) }
        }
        guard change.contains(.level) else { return }
        log.log(
            level: pressure.level >= .critical ? .warning : .info, "the pressure on the machine has changed",
            metadata: ["level": "\(pressure.level.rawValue)", "reason": "\(pressure.reason ?? "-")"])
        events.record(.nodePressure, details: pressure.details)
    }
}

extension SystemPressure {
    fileprivate var details: [String: String] {
        var details = ["level": level.rawValue]
        details["factors"] = factors.isEmpty ? nil : factors.map(\.rawValue).joined(separator: " ")
        details["reason"] = reason
        return details
    }
}

extension EventName {
    static let nodePressure = EventName(rawValue: "node.pressure")
}
