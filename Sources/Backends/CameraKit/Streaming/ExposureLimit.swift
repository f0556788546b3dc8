package import CaptureModel

/// The longest time for which each frame of a stream can have been exposed, from the instants of the frames.
///
/// A free-running camera exposes a frame for at most its frame interval, but the interval that the driver states is not
/// always the one of the frames: automatic exposure of a UVC camera (`exposure_dynamic_framerate`) makes them longer in
/// dim light. The limit of a frame is the longest of these:
///
/// - the stated interval;
/// - the time from the frame before to this one, so that the first long frame counts too. Frames that the driver lost
///   in between, by its sequence numbers, are taken off with the stated interval each, the shortest that they can have;
/// - the second longest of the last five of these times, with nothing taken off: a frame that was lost without a gap in
///   the sequence numbers does not count beyond the frame after it, and one late stamp makes no limit too short.
///
/// For a stamp at the end of exposure, the time between two stamps is at least the later exposure. A stamp at its start
/// says nothing of its length: there the time between the arrivals counts too, as far as the frame is that old. The
/// first frame of a stream counts from the start of the stream.
package struct ExposureLimit: Sendable {
    /// The interval that the driver states.
    package let stated: Duration
    private var last: (stamp: LocalTime?, dequeued: LocalTime)
    private var recent: [Duration] = []

    private static let recentCount = 5
    /// No free-running camera exposes for ten seconds, unless it states so.
    private static let longest = Duration.seconds(10)

    /// - Parameter start: When the stream was started.
    package init(stated: Duration, start: LocalTime) {
        self.stated = stated
        last = (start, start)
    }

    /// Returns the limit of the next frame.
    /// - Parameters:
    ///   - stamp: The driver's stamp; nil if it is not usable.
    ///   - skipped: The frames that the driver lost before this one.
    package mutating func next(
        stamp: LocalTime?, isStartOfExposure: Bool, skipped: UInt64, dequeued: LocalTime
    ) -> Duration {
        let time = time(to: stamp, isStartOfExposure, dequeued)
        last = (stamp, dequeued)
        recent = (recent + [time]).suffix(Self.recentCount)
        let own = time - stated * Int(clamping: min(skipped, 1_000_000))
        let usual = recent.count > 1 ? recent.sorted()[recent.count - 2] : .zero
        return max(stated, min(max(own, usual), Self.longest))
    }

    /// Returns the time from the frame before.
    private func time(to stamp: LocalTime?, _ isStartOfExposure: Bool, _ dequeued: LocalTime) -> Duration {
        let arrival = dequeued - last.dequeued
        guard let stamp, let before = last.stamp, stamp > before else { return arrival }
        return isStartOfExposure ? max(stamp - before, min(arrival, dequeued - stamp)) : stamp - before
    }
}
