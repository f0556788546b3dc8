/// The frames of a recording that both its movie and its sidecar have: those of the finished movie.
///
/// A crash takes the end of either, of one more than of the other. So the frames are taken whose times are those of the
/// lines, one after the other, up to the first that is not; what either has behind that is left out. Where that is more
/// than a crash can take, something else has damaged the recording, and pictures would pass for others, or go unseen.
///
/// | movie | sidecar | the finished movie |
/// |---|---|---|
/// | a frame | a line of its time | has the frame |
/// | a frame | a line of another time, or none left | ends before it |
/// | no frame left | a line | ends; the line is cut |
/// | nothing in common | anything | there is none: damage, where there are frames |
struct ListedFrames {
    /// Frames taken so far.
    private(set) var count = 0
    private let times: [Int64]
    private var unlisted = Rest()

    /// - Parameter times: When the frames are shown that the sidecar has lines about, 1/90 000 s.
    init(_ times: [Int64]) {
        self.times = times
    }

    /// Whether the movie ended before this frame.
    var isEnded: Bool { unlisted.count > 0 }

    /// Whether the next frame of the recording, shown at this time, is one of the movie's.
    mutating func takes(_ time: Int64) -> Bool {
        guard !isEnded, count < times.count, times[count] == time else {
            unlisted.add(time)
            return false
        }
        count += 1
        return true
    }

    /// What is wrong with the recording, once all its frames were offered; nil where a crash explains it.
    var damage: String? {
        var missing = Rest()
        for time in times[count...] { missing.add(time) }
        let isOther = count == 0 && unlisted.count > 0
        guard isOther || missing.span > RecordingLimits.longestLoss || unlisted.span > RecordingLimits.longestLoss
        else { return nil }
        return "its frames and the lines of its sidecar agree up to frame \(count) only; \(unlisted.count) frames and "
            + "\(missing.count) lines follow, more than a crash leaves so"
    }

    /// Frames, or lines, that have no counterpart.
    private struct Rest {
        var count = 0
        private var earliest = Int64.max
        private var latest = Int64.min

        /// How long they last, but for the first: that one may have waited for the next one for as long as no frame came.
        var span: Int64 {
            guard count > 1 else { return 0 }
            let (length, isTooLong) = latest.subtractingReportingOverflow(earliest)
            return isTooLong ? .max : length
        }

        mutating func add(_ time: Int64) {
            count += 1
            guard count > 1 else { return }
            (earliest, latest) = (min(earliest, time), max(latest, time))
        }
    }
}
