package import CaptureModel

/// Evenly spaced instants on this machine's `CLOCK_MONOTONIC`: number `k` lies at `phase + k · interval`, counted from the
/// clock's zero, so that cameras of equal interval and phase stay in step, also after a restart.
package struct FrameGrid: Hashable {
    /// Nanoseconds; positive. Not rounded: a rounded third would drift by milliseconds an hour.
    package let interval: Double
    /// Nanoseconds.
    package let phase: Double

    package init(interval: Double, phase: Double) {
        self.interval = interval
        self.phase = phase
    }

    /// The instant of number `index`, moved by `deviation` nanoseconds.
    package func instant(_ index: Int64, deviation: Double = 0) -> LocalTime {
        LocalTime(nanoseconds: Self.integer(phase + Double(index) * interval + deviation))
    }

    /// The first number whose instant is not before `instant`.
    package func firstIndex(notBefore instant: LocalTime) -> Int64 {
        Self.integer(((Double(instant.nanoseconds) - phase) / interval).rounded(.up))
    }

    /// How many whole intervals fit into `duration`; zero when it is negative.
    package func intervals(in duration: Duration) -> Int64 {
        max(0, Self.integer((Double(duration.nanoseconds) / interval).rounded(.down)))
    }

    /// The nearest integer; half of the largest where the value is beyond them, as after centuries.
    private static func integer(_ value: Double) -> Int64 {
        Int64(exactly: value.rounded()) ?? (value < 0 ? .min / 2 : .max / 2)
    }
}
