/// One thing that is wrong with a virtual camera's configuration.
public struct VirtualConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The key at fault, such as `jitterMilliseconds` or `faults[2].every`.
    public var key: String
    /// What is wrong, and which values are right.
    public var reason: String

    public var description: String { "\(key): \(reason)" }
}

extension VirtualCameraConfiguration {
    /// Everything that would keep a camera of this configuration from starting; empty when it is sound.
    public var problems: [VirtualConfigurationProblem] {
        var problems: [VirtualConfigurationProblem] = []
        func check<Value: Comparable>(_ key: CodingKeys, _ value: Value, _ range: ClosedRange<Value>) {
            guard !range.contains(value) else { return }
            let reason = "\(value) is not within \(range.lowerBound) to \(range.upperBound)"
            problems.append(VirtualConfigurationProblem(key: key.rawValue, reason: reason))
        }
        check(.width, width, VirtualLimits.width)
        check(.height, height, VirtualLimits.height)
        check(.framesPerSecond, framesPerSecond, VirtualLimits.framesPerSecond)
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
        return problems + faultProblems
    }

    private var faultProblems: [VirtualConfigurationProblem] {
        faults.enumerated().flatMap { index, fault in
            fault.problems.map { VirtualConfigurationProblem(key: "faults[\(index)].\($0.key)", reason: $0.reason) }
        }
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
