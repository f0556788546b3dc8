import CaptureModel

extension VirtualMicrophoneConfiguration {
    /// Everything that would keep a microphone of this configuration from starting; empty when it is sound.
    public var problems: [VirtualConfigurationProblem] {
        var problems: [VirtualConfigurationProblem] = []
        func check<Value: Comparable>(_ key: CodingKeys, _ value: Value, _ range: ClosedRange<Value>) {
            problems += VirtualConfigurationProblem.check(key.rawValue, value, range)
        }
        check(.sampleRate, sampleRate, AudioFormat.sampleRates)
        check(.channels, channels, AudioFormat.channelCounts)
        check(.periodMilliseconds, periodMilliseconds, VirtualMicrophoneLimits.periodMilliseconds)
        check(.driftPPM, driftPPM, -10_000...10_000)
        check(.stampJitterMilliseconds, stampJitterMilliseconds, VirtualMicrophoneLimits.stampJitterMilliseconds)
        check(.stampBoundMilliseconds, stampBoundMilliseconds, 0...10_000)
        check(.deliveryMilliseconds, deliveryMilliseconds, 0...10_000)
        check(.startDelayMilliseconds, startDelayMilliseconds, 0...600_000)
        return problems
            + VirtualConfigurationProblem.check(faults) { fault in
                guard !Self.faultKinds.contains(fault.kind) else { return [] }
                let reason = "a microphone has no fault '\(fault.kind.rawValue)'"
                return [VirtualConfigurationProblem(key: "kind", reason: reason)]
            }
    }
}

/// What a virtual microphone can be asked for, beside ``AudioFormat``'s limits.
public enum VirtualMicrophoneLimits {
    public static let periodMilliseconds = 1.0...1000.0
    public static let stampJitterMilliseconds = 0.0...100.0
}
