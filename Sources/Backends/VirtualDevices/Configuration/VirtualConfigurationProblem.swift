/// One thing that is wrong with a virtual device's configuration.
public struct VirtualConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The key at fault, such as `jitterMilliseconds` or `faults[2].every`.
    public var key: String
    /// What is wrong, and which values are right.
    public var reason: String

    public var description: String { "\(key): \(reason)" }
}

extension VirtualConfigurationProblem {
    /// What is wrong with a number: nothing, or that it is outside of its range.
    static func check<Value: Comparable>(_ key: String, _ value: Value, _ range: ClosedRange<Value>) -> [Self] {
        guard !range.contains(value) else { return [] }
        let reason = "\(value) is not within \(range.lowerBound) to \(range.upperBound)"
        return [Self(key: key, reason: reason)]
    }

    /// What is wrong with faults, each under its place in the list.
    /// - Parameter further: What else one may not be on a device of this kind.
    static func check(_ faults: [VirtualFault], further: (VirtualFault) -> [Self] = { _ in [] }) -> [Self] {
        faults.enumerated().flatMap { index, fault in
            (fault.problems + further(fault)).map { Self(key: "faults[\(index)].\($0.key)", reason: $0.reason) }
        }
    }
}
