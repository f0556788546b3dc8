internal import CaptureModel

extension BracketStep {
    /// Reads `8ms`, `8ms@10` or `@10`: exposure time and gain.
    init?(commandLine text: Substring) {
        let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        var step = BracketStep()
        if let exposure = parts.first, !exposure.isEmpty {
            guard let duration = Duration(commandLine: String(exposure)),
                Self.exposures.contains(duration.nanoseconds)
            else { return nil }
            step.exposureNanoseconds = duration.nanoseconds
        }
        if parts.count == 2 {
            guard let gain = Int32(parts[1]) else { return nil }
            step.gain = Int64(gain)
        }
        guard step != BracketStep() else { return nil }
        self = step
    }
}
