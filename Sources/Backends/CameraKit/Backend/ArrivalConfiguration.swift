package import RigConfiguration

/// What a configuration says of pictures that come when they come: their rate, and how late they are. The names are the keys in YAML.
public struct ArrivalConfiguration: Hashable, Sendable {
    /// The pictures per second that the source is set to.
    public var framesPerSecond: Double
    /// The longest time from a picture's mid-exposure to the arrival of its first byte, as long as it is not measured.
    public var largestLatencyMilliseconds: Double = 1000
    /// The longest time from the start to the first picture.
    public var startMilliseconds: Double = 10_000

    public init(framesPerSecond: Double) {
        self.framesPerSecond = framesPerSecond
    }

    /// The limits of what a configuration may say.
    public enum Limits {
        public static let framesPerSecond = 0.01...1000.0
        public static let largestLatencyMilliseconds = 1.0...60_000.0
        public static let startMilliseconds = 100.0...600_000.0
    }

    package var frameInterval: Duration { .nanoseconds(Int64((1e9 / framesPerSecond).rounded())) }
    package var largestLatency: Duration { .nanoseconds(Int64(largestLatencyMilliseconds * 1e6)) }
    package var startLimit: Duration { .nanoseconds(Int64(startMilliseconds * 1e6)) }

    /// Reads the keys that are there.
    package mutating func read(from mapping: YAMLMapping) {
        framesPerSecond = mapping.read("framesPerSecond", .number(Limits.framesPerSecond), default: framesPerSecond)
        largestLatencyMilliseconds = mapping.read(
            "largestLatencyMilliseconds", .number(Limits.largestLatencyMilliseconds),
            default: largestLatencyMilliseconds)
        startMilliseconds = mapping.read(
            "startMilliseconds", .number(Limits.startMilliseconds), default: startMilliseconds)
    }

    package func write(to mapping: inout MappingBuilder) {
        mapping.add("framesPerSecond", plain: framesPerSecond)
        mapping.add("largestLatencyMilliseconds", plain: largestLatencyMilliseconds)
        mapping.add("startMilliseconds", plain: startMilliseconds)
    }
}
