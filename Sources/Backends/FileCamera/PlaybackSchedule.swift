import CameraKit
import CaptureModel

/// Which image is due when, for one stream. It has no clock: it is told the instants.
///
/// Frames lie on a grid of the machine's clock. A looped recording runs through that grid like a scene that goes on
/// whether or not anybody looks: image `k mod count` at number `k`, so that cameras with equally many images show the same
/// one at the same time, whenever each was started. A recording that ends begins with its first image at the start.
struct PlaybackSchedule {
    /// A frame to be shown.
    struct Slot: Hashable {
        /// Counts the frames of the stream from 0, also over the recording's end.
        var sequence: UInt64
        /// Which image of the recording.
        var image: Int
        var due: LocalTime
        /// Frames before this one that came too late to be shown.
        var skipped: UInt64
    }

    enum Step: Hashable {
        case show(Slot)
        /// The recording is over; so many frames at its end came too late.
        case end(skipped: UInt64)
    }

    private let grid: FrameGrid
    private let imageCount: Int
    private let loops: Bool
    private let first: Int64
    private var next: Int64

    /// Frames that wait for a late reader, as a V4L2 queue of four buffers holds them.
    private static let queueDepth: Int64 = 4

    /// - Parameters:
    ///   - imageCount: At least 1.
    ///   - start: No frame is due before it.
    init(_ grid: FrameGrid, imageCount: Int, loops: Bool, start: LocalTime) {
        self.grid = grid
        self.imageCount = imageCount
        self.loops = loops
        first = grid.firstIndex(notBefore: start)
        next = first
    }

    /// Nobody knows when within its interval an image was exposed, so a stamp may be off by half of it.
    var stampBound: Duration { .nanoseconds(Int64(grid.interval / 2)) }

    /// The frame after the last one, or a later one where more than four are overdue at `now`.
    mutating func step(now: LocalTime) -> Step {
        let behind = grid.intervals(in: now - grid.instant(next))
        let skipped = behind > Self.queueDepth ? behind : 0
        let index = next &+ skipped
        let (played, count) = (index &- first, Int64(imageCount))
        if !loops, !(0..<count).contains(played) {
            return .end(skipped: UInt64(max(0, count &- (next &- first))))
        }
        next = index &+ 1
        let image = loops ? ((index % count) + count) % count : played
        return .show(
            Slot(
                sequence: UInt64(max(0, played)), image: Int(image), due: grid.instant(index),
                skipped: UInt64(skipped)))
    }
}
