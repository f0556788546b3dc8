extension VirtualMicrophoneConfiguration {
    /// Everything that would keep a microphone of this configuration from starting; empty when it is sound.
    public var problems: [VirtualConfigurationProblem] {
        var problems: [VirtualConfigurationProblem] = []
        func check<Value: Comparable>(_ key: CodingKeys, _ value: Value, _ range: ClosedRange<Value>) {
            guard !range.contains(value) else { return }
            let reason = "\(value) is not within \(range.lowerBound) to \(range.upperBound)"
            problems.append(VirtualConfigurationProblem(key: key.rawValue, reason: reason))
        }
        check(.sampleRate, sampleRate, AudioFormat.sampleRates)
        check(.channels, channels, AudioFormat.channelCounts)
        check(.periodMilliseconds, periodMilliseconds, VirtualMicrophoneLimits.periodMilliseconds)
        check(.driftPPM, driftPPM, -10_000...10_000)
        check(.stampJitterMilliseconds, stampJitterMilliseconds, VirtualMicrophoneLimits.stampJitterMilliseconds)
        check(.stampBoundMilliseconds, stampBoundMilliseconds, 0...10_000)
        check(.deliveryMilliseconds, deliveryMilliseconds, 0...10_000)
        check(.startDelayMilliseconds, startDelayMilliseconds, 0...600_000)
        return problems + faultProblems
    }

    private var faultProblems: [VirtualConfigurationProblem] {
        faults.enumerated().flatMap { index, fault in
            var problems = fault.problems
            if !Self.faultKinds.contains(fault.kind) {
                let reason = "a microphone has no fault '\(fault.kind.rawValue)'"
                problems.append(VirtualConfigurationProblem(key: "kind", reason: reason))
            }
            return problems.map {
                VirtualConfigurationProblem(key: "faults[\(index)].\($0.key)", reason: $0.reason)
            }
        }
    }
}

/// What a virtual microphone can be asked for, beside ``AudioFormat``'s limits.
public enum VirtualMicrophoneLimits {
    public static let periodMilliseconds = 1.0...1000.0
    public static let stampJitterMilliseconds = 0.0...100.0
}
