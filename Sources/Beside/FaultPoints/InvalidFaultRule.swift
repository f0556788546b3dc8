/// A rule that is malformed or that no point can satisfy.
public struct InvalidFaultRule: Error, Hashable, CustomStringConvertible {
    public var rule: String
    public var reason: String

    public var description: String { "the fault '\(rule)' is not possible: \(reason)" }
}
