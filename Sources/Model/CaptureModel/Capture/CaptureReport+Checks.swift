/// Why a report contradicts the shot it is of.
public enum ReportContradiction: Error, Hashable, Sendable, CustomStringConvertible {
    /// The skew is not the mid-exposure minus T; `expected` is nil where that difference is out of range.
    case skew(reportedNanoseconds: Int64, expectedNanoseconds: Int64?)
    /// The mid-exposure is known so badly that the skew says nothing.
    case bound(nanoseconds: Int64, allowedNanoseconds: Int64)

    public var description: String {
        switch self {
        case .skew(let reported, let expected):
            "the skew is \(reported) ns; mid-exposure minus T is \(expected.map { "\($0) ns" } ?? "out of range")"
        case .bound(let bound, let allowed):
            "the bound of the mid-exposure is \(bound) ns; allowed are 0 to \(allowed)"
        }
    }
}

extension CaptureReport {
    /// The bound of a mid-exposure in nanoseconds, beside two of its camera's frame intervals: a camera may claim 10 s for its
    /// stamps, and the estimate of rig time of a node that hears nothing widens by 500 us a second.
    public static let largestExposureBound: Int64 = 60_000_000_000

    /// Compares what the report says of its frame with the shot it is of.
    /// - Parameter time: The shot's T, on the time line of the report.
    public func check(against time: RigTime) throws(ReportContradiction) {
        let interval = (resolved.photoFormat ?? resolved.streamFormat).frameInterval.nanoseconds
        let allowed = Self.largestExposureBound + 2 * interval
        guard (0...allowed).contains(timing.midExposure.boundNanoseconds) else {
            throw .bound(nanoseconds: timing.midExposure.boundNanoseconds, allowedNanoseconds: allowed)
        }
        let (skew, isBeyond) = timing.midExposure.time.nanoseconds.subtractingReportingOverflow(time.nanoseconds)
        guard !isBeyond, skew == timing.skewNanoseconds else {
            throw .skew(
                reportedNanoseconds: timing.skewNanoseconds, expectedNanoseconds: isBeyond ? nil : skew)
        }
    }
}
