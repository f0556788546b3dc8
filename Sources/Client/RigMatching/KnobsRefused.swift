public import CaptureModel

/// A camera was not set.
public struct KnobsRefused: Error, CustomStringConvertible {
    public var problem: CaptureProblem

    public init(_ problem: CaptureProblem) { self.problem = problem }

    public var description: String { "\(problem)" }
}
