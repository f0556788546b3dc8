/// How overloaded or hot a machine is, after AVFoundation's `AVCaptureDevice.SystemPressureState`.
public struct SystemPressure: Hashable, Codable, Sendable {
    /// The levels, from none to too much.
    public enum Level: String, Hashable, Codable, Sendable, CaseIterable, Comparable {
        /// Nothing to care about.
        case nominal
        /// Somewhat raised.
        case fair
        /// High: frames may come late.
        case serious
        /// Very high: frames are late or lost.
        case critical
        /// Too high: cameras are closed until it is over.
        case shutdown

        public static func < (left: Level, right: Level) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    /// What contributes to the pressure: an open set of words.
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
    /// What has this level; empty where it is nominal.
    public var factors: [Factor]
    /// The figures behind it, for people; nil where it is nominal.
    public var reason: String?

    public init(level: Level = .nominal, factors: [Factor] = [], reason: String? = nil) {
        self.level = level
        self.factors = factors
        self.reason = reason
    }
}
