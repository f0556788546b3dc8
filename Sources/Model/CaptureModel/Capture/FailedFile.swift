/// A file of a capture that was owed and will not be made.
public struct FailedFile: Hashable, Sendable {
    public var kind: AssetKind
    public var problem: CaptureProblem

    public init(kind: AssetKind, problem: CaptureProblem) {
        self.kind = kind
        self.problem = problem
    }
}
