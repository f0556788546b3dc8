public import CaptureModel

/// A camera was not set.
public struct KnobsRefused: Error, CustomStringConvertible {
    public var problem: RigProblem

    public init(_ problem: RigProblem) { self.problem = problem }

    public var description: String { "\(problem)" }
}
