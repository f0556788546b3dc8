package import CaptureModel

/// Evenly spaced instants on this machine's `CLOCK_MONOTONIC`: number `k` is at `phase + k · interval`, counted from
/// the clock's zero, so that cameras with equal interval and phase stay in step, also after a restart.
package struct FrameGrid: Hashable {
    /// Nanoseconds; positive. Not rounded, because a rounded third would drift by milliseconds per hour.
    package let interval: Double
    /// Nanoseconds.
    package let phase: Double

    package init(interval: Double, phase: Double) {
        self.interval = interval
        self.phase = phase
    }

    /// Returns the instant of number `index`, moved by `deviation` nanoseconds.
    package func instant(_ index: Int64, deviation: Double = 0) -> LocalTime {
        LocalTime(nanoseconds: Self.integer(phase + Double(index) * interval + deviation))
    }

    /// Returns the first number whose instant is not before `instant`.
    package func firstIndex(notBefore instant: LocalTime) -> Int64 {
        Self.integer(((Double(instant.nanoseconds) - phase) / interval).rounded(.up))
    }

    /// Returns how many complete intervals fit into `duration`; zero if it is negative.
    package func intervals(in duration: Duration) -> Int64 {
        max(0, Self.integer((Double(duration.nanoseconds) / interval).rounded(.down)))
    }

    /// Returns the nearest integer; half of the largest if the value is out of range, as after centuries.
    private static func integer(_ value: Double) -> Int64 {
        Int64(exactly: value.rounded()) ?? (value < 0 ? .min / 2 : .max / 2)
    }
}
