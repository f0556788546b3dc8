import CaptureModel

/// The measured time from frame to frame of one stream: the mean of the last intervals, each divided by the sequence
/// numbers that it spans, so that dropped frames do not lengthen it. When the camera's rate has changed, the mean begins
/// again.
struct FrameInterval: Sendable {
    private var previous: (sequence: UInt64, midExposure: LocalTime)?
    private var mean: Double
    private var weight = 1.0
    /// The last intervals, in nanoseconds.
    private var recent: [Double] = []
    /// The largest difference of an interval from the mean before it, in nanoseconds. It fades more slowly than the mean forgets.
    private var deviation = 0.0

    private static let recentCount = 5
    /// The first intervals count fully, later ones as one part in as many: settled within a second, insensitive to jitter.
    private static let longestWeight = 32.0
    /// What is left of a difference after a frame: it counts for about four seconds.
    private static let fading = 1 - 1 / 128.0
    /// The rate has changed if each of the last intervals differs from the mean by more than this part, in one direction.
    /// Jitter of up to half an interval cannot do that, since the intervals add up.
    private static let change = 0.2

    /// The measured interval; the nominal one until two frames have arrived.
    var value: Duration { .nanoseconds(Int64(mean)) }

    /// How wrong ``value`` may be by the jitter of stamps, as far as intervals show it. A stamp that is late makes one interval longer and the next one shorter by as
    /// much, so that little more than the part of the newest remains in the mean. Stamps that become later with every frame are taken for a
    /// lower rate. A nanosecond is that of the arithmetic.
    var error: Duration { .nanoseconds(Int64(2 * deviation / weight) + 1) }

    init(nominal: Duration) {
        mean = Double(nominal.nanoseconds)
    }

    mutating func note(sequence: UInt64, midExposure: LocalTime) {
        defer { previous = (sequence, midExposure) }
        guard let previous, sequence > previous.sequence, midExposure > previous.midExposure else { return }
        let interval = Double((midExposure - previous.midExposure).nanoseconds) / Double(sequence - previous.sequence)
        if recent.count == Self.recentCount { recent.removeFirst() }
        recent.append(interval)
        deviation = max((interval - mean).magnitude, weight < Self.longestWeight ? deviation : deviation * Self.fading)
        mean += (interval - mean) / weight
        weight = min(weight + 1, Self.longestWeight)
        beginAgainIfChanged()
    }

    private mutating func beginAgainIfChanged() {
        guard recent.count == Self.recentCount, let shortest = recent.min(), let longest = recent.max(),
            shortest > mean * (1 + Self.change) || longest < mean * (1 - Self.change)
        else { return }
        let middle = recent.sorted().dropFirst().dropLast()
        mean = middle.reduce(0, +) / Double(middle.count)
        weight = Double(middle.count)
        deviation = longest - shortest
    }
}
