/// Numbers the frames of a running device, and measures by the stamps what an overrun has cost. Pure.
struct PCMTimeline: Hashable {
    /// Number of the frame that comes next, if none is lost.
    private(set) var position: UInt64 = 0
    private let nanosecondsPerFrame: Double
    /// When that frame is due.
    private var expected: Int64?
    private var isAfterOverrun = false

    /// - Parameter rate: Frames a second; positive.
    init(rate: Int) {
        nanosecondsPerFrame = 1e9 / Double(max(rate, 1))
    }

    /// The device has overrun: what comes next does not follow what came last.
    mutating func noteOverrun() {
        isAfterOverrun = true
    }

    /// Places frames that were read.
    /// - Parameter stamp: Of the first of them, nanoseconds.
    /// - Returns: The number of the first of them, and how many were lost before it.
    mutating func place(_ frames: Int, at stamp: Int64) -> (position: UInt64, lost: UInt64) {
        let lost = isAfterOverrun ? lostFrames(until: stamp) : 0
        isAfterOverrun = false
        let first = position &+ lost
        position = first &+ UInt64(max(frames, 0))
        let length = Int64(exactly: (Double(frames) * nanosecondsPerFrame).rounded())
        expected = length.map { stamp &+ $0 }
        return (first, lost)
    }

    /// At least one: an overrun never costs nothing, though two stamps that err may say so.
    private func lostFrames(until stamp: Int64) -> UInt64 {
        // Nothing came before the overrun, so nobody misses anything.
        guard let expected else { return 0 }
        let frames = (Double(stamp) - Double(expected)) / nanosecondsPerFrame
        return UInt64(exactly: max(frames.rounded(), 1)) ?? 1
    }
}
