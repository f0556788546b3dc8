import CameraKit

/// A clip while its stretches of sound are put into it, in order.
struct SoundAssembly {
    private(set) var samples: [Int16]
    private(set) var gaps: [SoundGap] = []
    private let frameCount: Int
    private let channels: Int
    /// Frames before it are decided.
    private var filled = 0

    init(frameCount: Int, channels: Int) {
        self.frameCount = max(frameCount, 0)
        self.channels = max(channels, 1)
        samples = [Int16](repeating: 0, count: self.frameCount * self.channels)
    }

    /// Puts a run in its place; what of it lies outside the clip, or in what came before, is left out.
    /// - Parameter first: Frame of the clip that the run begins with; negative before the clip.
    /// - Returns: Whether any of it is in the clip.
    mutating func place(_ run: SoundRun, at first: Int) -> Bool {
        let end = first.addingReportingOverflow(run.frameCount).partialValue
        guard end > filled, first < frameCount else { return false }
        leaveGap(until: first, run.cause)
        var frame = first
        for buffer in run.buffers {
            copy(buffer, at: frame)
            frame += buffer.frameCount
        }
        filled = min(end, frameCount)
        return true
    }

    /// Ends the clip.
    /// - Parameter cause: Why the rest of it is silent.
    mutating func close(_ cause: SoundGap.Cause) {
        leaveGap(until: frameCount, cause)
        filled = frameCount
    }

    private mutating func leaveGap(until frame: Int, _ cause: SoundGap.Cause) {
        if frame > filled { gaps.append(SoundGap(frames: filled..<min(frame, frameCount), cause: cause)) }
    }

    private mutating func copy(_ buffer: AudioBuffer, at first: Int) {
        let lower = max(first, filled)
        let upper = min(first + buffer.frameCount, frameCount)
        guard lower < upper else { return }
        let source = buffer.samples[(lower - first) * channels..<(upper - first) * channels]
        samples.replaceSubrange(lower * channels..<upper * channels, with: source)
    }
}
