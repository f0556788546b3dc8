import CameraKit
import CaptureModel

/// Sound without a gap: buffers that follow one another.
struct SoundRun: Sendable {
    /// Why the sound before it is missing.
    let cause: SoundGap.Cause
    private(set) var buffers: [AudioBuffer]

    init(_ first: AudioBuffer, after cause: SoundGap.Cause) {
        self.cause = cause
        buffers = [first]
    }

    mutating func append(_ buffer: AudioBuffer) {
        buffers.append(buffer)
    }

    /// Number of the first frame, in its stream.
    var position: UInt64 { buffers.first?.position ?? 0 }

    var frameCount: Int { buffers.reduce(0) { $0 + $1.frameCount } }

    /// How far any of its stamps may be off.
    var stampBound: Duration { buffers.map(\.stampBound).max() ?? .zero }

    /// Each buffer's first frame, counted from the run's first one, and its stamp, nanoseconds from the first one's.
    var stamps: [(frame: Double, nanoseconds: Double)] {
        guard let first = buffers.first else { return [] }
        return buffers.map {
            (Double($0.position &- first.position), Double(($0.firstFrame - first.firstFrame).nanoseconds))
        }
    }

    /// When its first frame was taken, as all its stamps together say.
    func start(nanosecondsPerFrame: Double) -> LocalTime {
        guard let first = buffers.first else { return LocalTime(nanoseconds: 0) }
        let late = stamps.map { $0.nanoseconds - $0.frame * nanosecondsPerFrame }
        let mean = late.reduce(0, +) / Double(late.count)
        return first.firstFrame + .nanoseconds(Int64(exactly: mean.rounded()) ?? 0)
    }
}
