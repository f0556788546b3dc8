/// Widens a driver's 32-bit frame counter so that it never wraps, and counts the frames it skips.
struct SequenceWidener: Hashable, Sendable {
    private var last: UInt32?
    private var wide: UInt64 = 0

    /// A widened number and how many frames are missing before it.
    struct Step: Hashable, Sendable {
        var sequence: UInt64
        var skipped: UInt64
    }

    /// Takes the counter of the next frame.
    ///
    /// A counter that stands still or runs backwards (by up to half its range) was restarted by the driver: the frame is
    /// taken as the next one, and nothing as skipped.
    mutating func step(to counter: UInt32) -> Step {
        defer { last = counter }
        guard let last else {
            wide = UInt64(counter)
            return Step(sequence: wide, skipped: 0)
        }
        let advance = counter &- last
        let isForward = advance != 0 && advance < 1 << 31
        let skipped = isForward ? UInt64(advance) - 1 : 0
        wide += skipped + 1
        return Step(sequence: wide, skipped: skipped)
    }
}
