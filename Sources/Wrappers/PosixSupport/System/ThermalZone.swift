/// A temperature sensor of the machine and the temperatures at which the kernel acts (Documentation/driver-api/thermal/sysfs-api.rst).
public struct ThermalZone: Hashable, Sendable {
    /// A temperature at which the kernel acts.
    public struct TripPoint: Hashable, Sendable {
        /// The kernel's action at the temperature.
        public enum Kind: String, Hashable, Sendable {
            /// A fan is turned on.
            case active
            /// Processors are slowed down.
            case passive
            /// Drivers are notified.
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

    /// The type of the zone, such as `cpu-thermal`; not unique.
    public var type: String
    /// Thousandths of a degree Celsius.
    public var millidegrees: Int
    public var tripPoints: [TripPoint]

    public init(type: String, millidegrees: Int, tripPoints: [TripPoint]) {
        self.type = type
        self.millidegrees = millidegrees
        self.tripPoints = tripPoints
    }

    /// More than any kernel's limit, which has been at most twelve.
    private static let tripPointLimit = 32
    private static let zoneLimit = 128
    /// The range of possible temperatures. A disabled trip point is at or below absolute zero, and inactive sensors report impossible
    /// numbers.
    private static let possible = -100_000...300_000

    /// Reads every zone of `/sys/class/thermal`. A sensor may take some milliseconds to answer.
    /// - Returns: The zones that report their temperature, in order of number; empty if the folder does not exist.
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

/// Small files with information of the kernel, in `/proc` and `/sys`.
enum KernelText {
    /// Returns the text of a file, up to 4 KiB; nil if it cannot be read. A driver may take some milliseconds to answer.
    static func read(_ path: String) -> String? {
        guard let bytes = try? OpenFile(opening: path).readStream(limit: 4096) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text of a file of one line.
    static func line(_ path: String) -> String? {
        read(path).map { String($0.prefix { $0 != "\n" }) }
    }
}

/// The share of time in which tasks wait for a resource of the machine: the kernel's pressure stall information
/// (Documentation/accounting/psi.rst), averaged over the last ten seconds.
public struct StallInformation: Hashable, Sendable {
    /// The percentage of time in which at least one task waits.
    public var some: Double
    /// The percentage of time in which every non-idle task waits; nil if the kernel does not report it.
    public var full: Double?

    public init(some: Double, full: Double? = nil) {
        self.some = some
        self.full = full
    }

    /// Reads the content of `/proc/pressure/cpu`, `memory` or `io`; nil if it has another form.
    ///
    ///     some avg10=0.00 avg60=0.00 avg300=0.00 total=0
    ///     full avg10=0.00 avg60=0.00 avg300=0.00 total=0
    public init?(_ text: String) {
        var averages: [Substring: Double] = [:]
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let kind = words.first else { continue }
            averages[kind] = words.compactMap(Self.percent).first
        }
        guard let some = averages["some"] else { return nil }
        self.init(some: some, full: averages["full"])
    }

    private static func percent(_ word: Substring) -> Double? {
        guard word.hasPrefix("avg10="), let value = Double(word.dropFirst(6)) else { return nil }
        return (0...100).contains(value) ? value : nil
    }

    /// Reads a file of `/proc/pressure`. Does not block.
    /// - Returns: nil if the kernel does not report it, or in another form.
    public static func read(_ resource: String, in folder: String) -> StallInformation? {
        KernelText.read("\(folder)/\(resource)").flatMap { StallInformation($0) }
    }
}
