import CaptureModel

/// How long a camera takes from one format to another, from what its openings and closings have taken so far.
struct ReopeningTime: Hashable, Sendable {
    /// Measurements that count.
    private static let depth = 8
    /// What one measurement counts for at most: with more, the lead would leave no instant that may be asked for.
    private static let longest = Duration.seconds(2)
    /// Added to what was measured twice over, since one measurement is no bound.
    private static let margin = Duration.milliseconds(250)

    private var openings: [Duration] = []
    private var closings: [Duration] = []

    /// From the order to open until the first good frame was there.
    mutating func noteOpening(_ duration: Duration) {
        openings = (openings + [min(duration, Self.longest)]).suffix(Self.depth)
    }

    /// From the order to close until the device was free.
    mutating func noteClosing(_ duration: Duration) {
        closings = (closings + [min(duration, Self.longest)]).suffix(Self.depth)
    }

    /// Twice the longest closing and opening of late, and a quarter of a second.
    var estimate: Duration {
        ((openings.max() ?? .zero) + (closings.max() ?? .zero)) * 2 + Self.margin
    }
}
