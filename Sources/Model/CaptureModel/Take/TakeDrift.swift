/// How far the frames of a take's cameras drifted apart while both were recorded.
public struct TakeDrift: Hashable, Sendable {
    /// The camera whose frames came more quickly, and the one whose frames fell behind: the pair with the largest change.
    public var ahead: DeviceID
    public var behind: DeviceID
    /// How much more time there was between their frames at the end than at the beginning. If one recording is longer, its
    /// mean rate counts for the time of the shorter one.
    public var apart: Duration
    /// Its largest error.
    public var bound: Duration

    /// Compares cameras that state the same rate.
    /// - Returns: nil if the drift of no two of them is known.
    public init?(of captures: [Capture]) {
        let measured = captures.compactMap(Measured.init)
        let pairs = measured.indices.flatMap { first in
            measured[(first + 1)...].compactMap { TakeDrift(measured[first], $0) }
        }
        guard let widest = pairs.max(by: { $0.apart < $1.apart }) else { return nil }
        self = widest
    }

    private struct Measured {
        var device: DeviceID
        var drift: FrameDrift
        var interval: Duration
        var seconds: Double

        init?(_ capture: Capture) {
            guard let drift = capture.drift, let pace = capture.movie?.pace, let format = capture.resolved?.streamFormat
            else { return nil }
            device = capture.device.id
            self.drift = drift
            interval = format.frameInterval
            seconds = Double(pace.spanNanoseconds) / 1e9
        }
    }

    private init?(_ one: Measured, _ other: Measured) {
        guard one.interval == other.interval else { return nil }
        let (quick, slow) = one.drift.partsPerMillion <= other.drift.partsPerMillion ? (one, other) : (other, one)
        // Parts per million of seconds are microseconds.
        let seconds = min(one.seconds, other.seconds)
        ahead = quick.device
        behind = slow.device
        let difference = (slow.drift.partsPerMillion - quick.drift.partsPerMillion) * seconds
        let error = (slow.drift.boundPartsPerMillion + quick.drift.boundPartsPerMillion) * seconds
        apart = .nanoseconds(Int64(clampingRounded: difference * 1000))
        bound = .nanoseconds(Int64(clampingRounded: error * 1000))
    }
}
