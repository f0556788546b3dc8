import CaptureModel

/// What was wrong with a stream's frames since its last good one. Pure.
struct RejectedFrames: Hashable, Sendable {
    private var count = 0
    /// Frames that were rejected for the same kind of reason as the newest.
    private var alike = 0
    private var newest: FrameIntake.Rejection?

    var isEmpty: Bool { count == 0 }

    mutating func note(_ rejection: FrameIntake.Rejection) {
        count += 1
        alike = newest?.isLike(rejection) == true ? alike + 1 : 1
        newest = rejection
    }

    /// Returns why good frames do not come and what to do, as a sentence.
    /// - Parameters:
    ///   - silence: How long there was none.
    ///   - format: The format of the stream.
    func explanation(after silence: Duration, of format: VideoFormat) -> String {
        let size = "\(format.width)x\(format.height)"
        let tenths = max(silence.nanoseconds, 0) / 100_000_000
        let time = "\(tenths / 10).\(tenths % 10) s"
        let counted = "\(alike) of \(count) frames in \(time)"
        switch newest {
        case nil:
            return
                "no frame in \(time): check that the camera has power and is not asleep, unplug it and plug it in again"
        case .torn(let reason):
            return "\(counted) were not a whole picture of \(size); the newest: \(reason) "
                + "Check the cable and the hub, or choose a smaller size or a lower rate in `format`"
        case .flaggedErroneous:
            return "\(counted) were flagged as erroneous by the driver: "
                + "connect the camera to another port or controller of the machine, without a hub"
        case .otherSize(let other):
            return "\(counted) were not a picture of \(size); the newest is \(other): "
                + "set `width: \(other.width)` and `height: \(other.height)` in `format`"
        }
    }
}

extension FrameIntake.Rejection {
    fileprivate func isLike(_ other: FrameIntake.Rejection) -> Bool {
        switch (self, other) {
        case (.flaggedErroneous, .flaggedErroneous), (.torn, .torn), (.otherSize, .otherSize): true
        default: false
        }
    }
}
