import CaptureModel

/// The measured time from frame to frame of one stream: the mean of the last intervals, each divided by the sequence
/// numbers it spans, so that dropped frames do not lengthen it.
struct FrameInterval: Sendable {
    private var previous: (sequence: UInt64, midExposure: LocalTime)?
    private var mean: Double
    private var weight = 1.0

    /// The measured interval; the nominal one until two frames have come.
    var value: Duration { .nanoseconds(Int64(mean)) }

    init(nominal: Duration) {
        mean = Double(nominal.nanoseconds)
    }

    mutating func note(sequence: UInt64, midExposure: LocalTime) {
        defer { previous = (sequence, midExposure) }
        guard let previous, sequence > previous.sequence, midExposure > previous.midExposure else { return }
        let interval = Double((midExposure - previous.midExposure).nanoseconds) / Double(sequence - previous.sequence)
        // The first intervals count in full, later ones one part in 32: settled within a second, deaf to jitter.
        mean += (interval - mean) / weight
        weight = min(weight + 1, 32)
    }
}
