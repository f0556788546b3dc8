/// A sensor of the machine and the temperatures at which the kernel does something about it
/// (Documentation/driver-api/thermal/sysfs-api.rst).
public struct ThermalZone: Hashable, Sendable {
    /// A temperature at which the kernel acts.
    public struct TripPoint: Hashable, Sendable {
        /// What the kernel does there.
        public enum Kind: String, Hashable, Sendable {
            /// A fan is turned on.
            case active
            /// Processors are slowed down.
            case passive
            /// Drivers are told.
            case hot
            /// The machine is turned off.
            case critical
        }

        public var kind: Kind
        public var millidegrees: Int

        public init(_ kind: Kind, _ millidegrees: Int) {
            self.kind = kind
            self.millidegrees = millidegrees
        }
    }

    /// What the zone is called, such as `cpu-thermal`; not unique.
    public var type: String
    /// Thousandths of a degree Celsius.
    public var millidegrees: Int
    public var tripPoints: [TripPoint]

    public init(type: String, millidegrees: Int, tripPoints: [TripPoint]) {
        self.type = type
        self.millidegrees = millidegrees
        self.tripPoints = tripPoints
    }

    /// Kernels have had at most twelve in a zone.
    private static let tripPointLimit = 32
    private static let zoneLimit = 128
    /// A disabled trip point lies at or below absolute zero; sensors that are asleep tell impossible numbers.
    private static let possible = -100_000...300_000

    /// Reads every zone of `/sys/class/thermal`; a sensor may take some milliseconds to answer.
    /// - Returns: Those that tell their temperature, in order of number; none where the folder is not there.
    public static func all(in folder: String) -> [ThermalZone] {
        var zones: [ThermalZone] = []
        for number in 0..<zoneLimit {
            let path = "\(folder)/thermal_zone\(number)"
            guard let type = KernelText.line("\(path)/type") else { continue }
            guard let millidegrees = temperature("\(path)/temp") else { continue }
            zones.append(
                ThermalZone(type: String(type.prefix(64)), millidegrees: millidegrees, tripPoints: tripPoints(path)))
        }
        return zones
    }

    private static func tripPoints(_ path: String) -> [TripPoint] {
        var points: [TripPoint] = []
        for number in 0..<tripPointLimit {
            guard let word = KernelText.line("\(path)/trip_point_\(number)_type") else { break }
            // Fans have one point for each speed: `active0`, `active1`.
            let kind = TripPoint.Kind(rawValue: word) ?? (word.hasPrefix("active") ? .active : nil)
            guard let kind, let millidegrees = temperature("\(path)/trip_point_\(number)_temp") else { continue }
            points.append(TripPoint(kind, millidegrees))
        }
        return points
    }

    private static func temperature(_ path: String) -> Int? {
        guard let value = KernelText.line(path).flatMap({ Int($0) }), possible.contains(value) else { return nil }
        return value
    }
}
