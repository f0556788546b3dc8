public import CaptureModel

/// Why movies of a take have different numbers of frames, from its manifest alone.
public struct TakeFigures: Equatable, Sendable {
    /// The largest number of frames of a movie.
    private let most: Int
    private let mostInterval: Duration?

    public init(_ shot: Shot) {
        let longest = shot.captures.filter { $0.movie != nil }.max {
            ($0.movie?.frameCount ?? 0) < ($1.movie?.frameCount ?? 0)
        }
        most = longest?.movie?.frameCount ?? 0
        mostInterval = longest?.movieInterval
    }

    /// Why a camera's movie has fewer frames than the longest one; nil if it has as many, or there is no movie.
    public func reason(_ capture: Capture) -> String? {
        guard let movie = capture.movie, movie.frameCount < most else { return capture.movie?.note }
        var reasons = [movie.problem?.message, movie.note].compactMap(\.self)
        let lacking = most &- movie.frameCount
        if let rate = rateReason(capture) { reasons.append(rate) }
        if let beginning = beginningReason(capture) { reasons.append(beginning) }
        if movie.missingFrames > movie.droppedFrames {
            reasons.append("the camera did not deliver \(movie.missingFrames &- movie.droppedFrames) frames")
        }
        if movie.droppedFrames > 0 { reasons.append("the disk did not keep up with \(movie.droppedFrames) frames") }
        if reasons.isEmpty || lacking == movie.missingFrames &+ 1 {
            reasons.append(
                lacking &- movie.missingFrames <= 1
                    ? "one frame fewer fits between its beginning and its end"
                    : "its frames arrived more slowly than announced")
        }
        return reasons.joined(separator: "; ")
    }

    /// A camera that loses its frames of T begins with the next one.
    private func beginningReason(_ capture: Capture) -> String? {
        guard let skew = capture.credibleTiming.map({ Duration.nanoseconds($0.skewNanoseconds) }),
            let interval = capture.resolved?.streamFormat.frameInterval, skew > interval * 2
        else { return nil }
        return "its first frame is \(skew.shortText) after T"
    }

    private func rateReason(_ capture: Capture) -> String? {
        guard let interval = capture.movieInterval, let stated = capture.resolved?.streamFormat.frameInterval,
            let mostInterval, interval > .zero, (interval - mostInterval).magnitude * 100 > mostInterval
        else { return nil }
        let rate = "it records \(self.rate(interval)) frames per second"
        return interval == stated ? rate : "\(rate), and its format says \(self.rate(stated))"
    }

    private func rate(_ interval: Duration) -> String {
        Decimals.text(Duration.seconds(1) / interval, digits: 1)
    }
}
