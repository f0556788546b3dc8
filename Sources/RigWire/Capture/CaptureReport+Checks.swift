public import CaptureModel

extension CaptureReport {
    /// Holds what the report says of its frame against the shot it is of.
    /// - Parameter time: The shot's T, on the time line of the report.
    /// - Throws: `invalid` where the skew is not the mid-exposure minus T, or where the mid-exposure is known so badly that
    ///   the skew says nothing.
    public func check(against time: RigTime) throws(WireError) {
        let reader = FieldReader("FrameTiming")
        let interval = (resolved.photoFormat ?? resolved.streamFormat).frameInterval.nanoseconds
        _ = try reader.number(
            timing.midExposure.boundNanoseconds, "bound_ns", in: 0...WireLimits.exposureBound + 2 * interval)
        let (skew, isBeyond) = timing.midExposure.time.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
        guard !isBeyond, skew == timing.skewNanoseconds else {
            let skewText = isBeyond ? "out of range" : "\(skew)"
            throw reader.invalid(
                "skew_ns", "is \(timing.skewNanoseconds); mid-exposure minus T is \(skewText)")
        }
    }
}
