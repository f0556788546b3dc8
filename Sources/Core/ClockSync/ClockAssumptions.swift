import CaptureModel

/// The numbers on which every bound rests; `docs/design/time.md` gives the reasons.
public enum ClockAssumptions {
    /// Largest relative rate error between the clocks of a node and of the coordinator, in parts per million.
    public static let largestRateError: Int64 = 500

    /// How far two clocks can drift apart in `age` nanoseconds, rounded up.
    static func drift(over age: Int64) -> Int64 {
        let age = age.magnitude
        let drift =
            age / 1_000_000 * UInt64(largestRateError) + age % 1_000_000 * UInt64(largestRateError) / 1_000_000 + 1
        return Int64(clamping: drift)
    }
}
