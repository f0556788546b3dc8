/// How overloaded or hot a machine is, after AVFoundation's `AVCaptureDevice.SystemPressureState`.
public struct SystemPressure: Hashable, Codable, Sendable {
    /// The levels, in ascending order.
    public enum Level: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
        /// No pressure.
        case nominal
        /// Slightly raised.
        case fair
        /// High: frames may be late.
        case serious
        /// Very high: frames are late or lost.
        case critical
        /// Too high: cameras are closed until the pressure falls.
        case shutdown

        public static func < (left: Level, right: Level) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    /// A contributor to the pressure; an open set of words.
    public struct Factor: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Tasks wait for a processor.
        public static let cpu = Factor(rawValue: "cpu")
        /// Tasks wait for memory.
        public static let memory = Factor(rawValue: "memory")
        /// Tasks wait for a disk.
        public static let io = Factor(rawValue: "io")
        /// A sensor of the machine is hot.
        public static let temperature = Factor(rawValue: "temperature")

        public var description: String { rawValue }
    }

    public var level: Level
    /// The factors that have this level; empty if it is nominal.
    public var factors: [Factor]
    /// The figures behind the level, for people; nil if it is nominal.
    public var reason: String?

    public init(level: Level = .nominal, factors: [Factor] = [], reason: String? = nil) {
        self.level = level
        self.factors = factors
        self.reason = reason
    }
}
