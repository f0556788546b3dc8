extension Int64 {
    /// Creates the nearest whole number; the ends of the range for values beyond it, 0 for NaN.
    package init(clampingRounded value: Double) {
        self = value.isNaN ? 0 : Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}
