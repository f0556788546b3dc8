/// The numbers on which every bound is based; `docs/design/time.md` gives the reasons.
///
/// The offset between two clocks is rig time minus local time. Offsets are nanoseconds, rates nanoseconds per second
/// (1 ppm is 1 000 of them), and ages seconds.
public enum ClockAssumptions {
    /// The largest relative rate error between the clocks of a node and of the coordinator.
    static let largestRate = 500_000.0
    /// The part of the rate that may change at once.
    static let rateStep = 5_000.0
    /// How fast the rest of the rate may change, per second.
    static let rateDrift = 200.0
    /// The largest rate without the part that may change at once, which is within half of `rateStep` of it.
    static let largestSteadyRate = largestRate - rateStep / 2
    /// The largest error of a reading of both clocks together. A counter of 1 MHz has it; it covers rounding too.
    static let resolution = 1_000.0

    /// The largest rate error, against what it follows, of a clock that its program calls in step.
    static let disciplinedRate = 5_000.0

    /// Returns how far the offset can be, `age` later or earlier, from where the steady rate leads.
    static func deviation(over age: Double) -> Double {
        abs(age) * (rateStep / 2) + age * age * (rateDrift / 2)
    }

    /// Returns how far the offset can be from the present one, `age` later or earlier.
    static func reach(over age: Double) -> Double { abs(age) * largestRate }
}
