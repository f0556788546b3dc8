import CVideo4Linux

/// One size, or a grid of sizes, that a pixel format comes in.
public struct FrameSizes: Hashable, Sendable {
    /// Widths in pixels; a single one for a discrete size.
    public var widths: SteppedRange
    /// Heights in pixels; a single one for a discrete size.
    public var heights: SteppedRange

    public init(widths: SteppedRange, heights: SteppedRange) {
        self.widths = widths
        self.heights = heights
    }

    /// A discrete size.
    public init(width: UInt32, height: UInt32) {
        self.init(widths: SteppedRange(width, width, step: 1), heights: SteppedRange(height, height, step: 1))
    }

    init(_ size: cv4l_frame_size) {
        self.init(
            widths: SteppedRange(size.minimum_width, size.maximum_width, step: size.step_width),
            heights: SteppedRange(size.minimum_height, size.maximum_height, step: size.step_height))
    }

    public func contains(width: UInt32, height: UInt32) -> Bool {
        widths.contains(width) && heights.contains(height)
    }
}

/// Numbers from a minimum to a maximum in equal steps, as a driver states them; they may make no sense.
public struct SteppedRange: Hashable, Sendable {
    public var minimum: UInt32
    public var maximum: UInt32
    /// 0 and 1 both mean every number.
    public var step: UInt32

    public init(_ minimum: UInt32, _ maximum: UInt32, step: UInt32) {
        self.minimum = minimum
        self.maximum = maximum
        self.step = step
    }

    public func contains(_ number: UInt32) -> Bool {
        number >= minimum && number <= maximum && (number - minimum).isMultiple(of: max(step, 1))
    }

    /// The largest number of the range that is not above `limit`; nil where all are above.
    public func largest(notAbove limit: UInt32) -> UInt32? {
        guard minimum <= maximum, minimum <= limit else { return nil }
        let span = min(limit, maximum) - minimum
        return minimum + span / max(step, 1) * max(step, 1)
    }
}
