import CaptureModel
import RigConfiguration

/// Spreads the bytes asked for over time, so that collecting never fills the link: facts of the clock show that a link
/// at its limit costs the clock a millisecond, one at 70 % nothing.
struct TransferPacer: Sendable {
    let rate: TransferRate
    /// When the next chunk may be asked for.
    private var free: LocalTime?

    init(rate: TransferRate) {
        self.rate = rate
    }

    /// Whether nodes take nothing from one another.
    var isUnlimited: Bool { if case .unlimited = rate { true } else { false } }

    /// Bytes of one chunk, at most: at a low rate a quarter of a second's, so that a chunk holds up one that is asked for
    /// after it no longer, but not less than 4 KiB.
    var chunkByteCount: Int64 {
        guard case .bytesPerSecond(let rate) = rate else { return CollectQueue.chunkByteCount }
        return min(max(rate / 4, 4096), CollectQueue.chunkByteCount)
    }

    /// When a chunk may be asked for; now or later.
    func earliest(at now: LocalTime) -> LocalTime {
        max(free ?? now, now)
    }

    /// Notes that `byteCount` bytes were asked for.
    mutating func spend(_ byteCount: Int64, at now: LocalTime) {
        guard case .bytesPerSecond(let rate) = rate else { return }
        free = earliest(at: now) + .nanoseconds(Int64(Double(byteCount) / Double(max(rate, 1)) * 1e9))
    }
}
