extension VirtualCameraConfiguration {
    /// Everything that would keep a camera of this configuration from starting; empty when it is sound.
    public var problems: [VirtualConfigurationProblem] {
        var problems: [VirtualConfigurationProblem] = []
        func check<Value: Comparable>(_ key: CodingKeys, _ value: Value, _ range: ClosedRange<Value>) {
            problems += VirtualConfigurationProblem.check(key.rawValue, value, range)
        }
        check(.width, width, VirtualLimits.width)
        check(.height, height, VirtualLimits.height)
        check(.framesPerSecond, framesPerSecond, VirtualLimits.framesPerSecond)
        if let preview {
            problems += VirtualConfigurationProblem.check("preview.width", preview.width, VirtualLimits.width)
            problems += VirtualConfigurationProblem.check("preview.height", preview.height, VirtualLimits.height)
        }
        check(.quality, quality, 1...100)
        check(.phaseMilliseconds, phaseMilliseconds, -3_600_000...3_600_000)
        if VirtualLimits.framesPerSecond.contains(framesPerSecond) {
            check(.jitterMilliseconds, jitterMilliseconds, 0...(VirtualLimits.jitterShare * 1000 / framesPerSecond))
        }
        check(.driftPPM, driftPPM, -10_000...10_000)
        check(.exposureMilliseconds, exposureMilliseconds, 0.01...10_000)
        check(.gainDecibels, gainDecibels, -48...48)
        check(.readoutMilliseconds, readoutMilliseconds, 0...10_000)
        check(.stampBoundMilliseconds, stampBoundMilliseconds, 0...10_000)
        check(.startDelayMilliseconds, startDelayMilliseconds, 0...600_000)
        return problems + VirtualConfigurationProblem.check(faults)
    }
}

/// What a virtual camera can be asked for.
public enum VirtualLimits {
    public static let width = 144...16384
    public static let height = 88...16384
    public static let framesPerSecond = 0.01...1000.0
    /// Of the frame interval; below one half, so that frames never change places.
    public static let jitterShare = 0.45
}
