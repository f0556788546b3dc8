/// From which figures on a machine is under which pressure; `docs/design/session.md` says why these.
public struct PressureThresholds: Hashable, Sendable {
    /// Percent of the last ten seconds from which on a resource has a level; above 100: never.
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

        /// The level of a figure.
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

    /// No percentage reaches it.
    public static let never = 101.0

    /// Of the time in which some task waits for a processor.
    public var cpu: Steps
    /// Of the time in which all tasks wait for memory.
    public var memory: Steps
    /// Of the time in which all tasks wait for a disk.
    public var io: Steps
    /// So many degrees Celsius below the one at which the kernel turns the machine off, cameras are closed; and so many
    /// below the one at which it slows down, the pressure is raised.
    public var margin: Double
    /// A lower level counts when the figures have kept to it for so long.
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
