extension Duration {
    /// The duration in integer nanoseconds, rounded toward zero; saturates beyond ±292 years.
    public var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowed) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflow || overflowed ? (seconds < 0 ? .min : .max) : sum
    }

    /// The duration in seconds, for display and for rates.
    public var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }

    /// The duration without its sign.
    public var magnitude: Duration {
        self < .zero ? .zero - self : self
    }
}
