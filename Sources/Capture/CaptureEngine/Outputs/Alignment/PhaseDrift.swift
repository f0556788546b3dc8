import CaptureModel

/// How quickly the phase of a camera drifts, since its oscillator and the rig's clock differ: the mean of what measurements one after the
/// other have shown, the first ones fully, later ones as one part in eight.
struct PhaseDrift: Hashable, Sendable {
    /// Faster changes are not a drift. Crystals of cameras are within 100 ppm, and FrameRate counts 29.994 frames per second as 30.
    static let limit = 500e-6
    private static let weightLimit = 8.0

    /// Nanoseconds in a nanosecond.
    private var rate = 0.0
    private var weight = 0.0

    /// Notes by how much the phase has changed in a time.
    mutating func note(_ change: Duration, in time: Duration) {
        guard time > .zero else { return }
        weight = min(weight + 1, Self.weightLimit)
        let seen = Double(change.nanoseconds) / Double(time.nanoseconds)
        rate += (min(max(seen, -Self.limit), Self.limit) - rate) / weight
    }

    /// Returns the change that is expected in a time.
    func change(in time: Duration) -> Duration { .nanoseconds(Int64((rate * Double(time.nanoseconds)).rounded())) }
}
