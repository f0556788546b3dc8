/// How one picture of a bracket is exposed; nil leaves a value as it stands.
public struct BracketStep: Hashable, Sendable {
    /// Exposure time in nanoseconds.
    public var exposureNanoseconds: Int64?
    /// In the units of the device's own control `gain`.
    public var gain: Int64?

    public init(exposureNanoseconds: Int64? = nil, gain: Int64? = nil) {
        self.exposureNanoseconds = exposureNanoseconds
        self.gain = gain
    }

    /// The exposure times that a step may ask for, in nanoseconds: up to ten seconds.
    public static let exposures: ClosedRange<Int64> = 1000...10_000_000_000
}
