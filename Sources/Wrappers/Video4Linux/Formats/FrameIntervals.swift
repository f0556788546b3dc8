import CVideo4Linux

/// One frame interval, or a range of them, in seconds per frame.
public struct FrameIntervals: Hashable, Sendable {
    /// The shortest time per frame: the highest rate.
    public var shortest: Fraction
    /// The longest time per frame; equals the shortest for a discrete interval.
    public var longest: Fraction

    public init(shortest: Fraction, longest: Fraction) {
        self.shortest = shortest
        self.longest = longest
    }

    /// A discrete interval.
    public init(_ interval: Fraction) {
        self.init(shortest: interval, longest: interval)
    }

    init(_ interval: cv4l_frame_interval) {
        self.init(shortest: Fraction(interval.minimum), longest: Fraction(interval.maximum))
    }

    public var isDiscrete: Bool { shortest == longest }
}
