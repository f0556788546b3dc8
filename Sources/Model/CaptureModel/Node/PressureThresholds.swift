/// The figures at which a machine reaches each pressure level; `docs/design/session.md` gives the reasons.
public struct PressureThresholds: Hashable, Sendable {
    /// The percentages of the last ten seconds at which a resource reaches each level. A value above 100 is never reached.
    public struct Steps: Hashable, Sendable {
        public var fair: Double
        public var serious: Double
        public var critical: Double
        public var shutdown: Double

        public init(fair: Double, serious: Double, critical: Double, shutdown: Double = PressureThresholds.never) {
            self.fair = fair
            self.serious = serious
            self.critical = critical
            self.shutdown = shutdown
        }

        /// Returns the level of a figure.
        public func level(_ percent: Double) -> SystemPressure.Level {
            switch percent {
            case shutdown...: .shutdown
            case critical...: .critical
            case serious...: .serious
            case fair...: .fair
            default: .nominal
            }
        }

        /// Whether each step is at least as high as the one before.
        public var isAscending: Bool { fair <= serious && serious <= critical && critical <= shutdown }
    }

    /// A value that no percentage reaches.
    public static let never = 101.0

    /// Applied to the time in which some task waits for a processor.
    public var cpu: Steps
    /// Applied to the time in which all tasks wait for memory.
    public var memory: Steps
    /// Applied to the time in which all tasks wait for a disk.
    public var io: Steps
    /// A margin in degrees Celsius. The cameras are closed this far below the temperature at which the kernel turns the
    /// machine off. The pressure is raised this far below the temperature at which it slows the machine down.
    public var margin: Double
    /// How long the figures must stay at a lower level before it counts.
    public var calm: Duration

    public init(
        cpu: Steps = Steps(fair: 40, serious: 70, critical: 90),
        memory: Steps = Steps(fair: 5, serious: 15, critical: 30, shutdown: 50),
        io: Steps = Steps(fair: 30, serious: 60, critical: 90), margin: Double = 5, calm: Duration = .seconds(10)
    ) {
        self.cpu = cpu
        self.memory = memory
        self.io = io
        self.margin = margin
        self.calm = calm
    }
}
