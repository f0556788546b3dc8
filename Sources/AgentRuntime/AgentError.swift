/// Why an agent or its command line cannot start.
public struct AgentError: Error, CustomStringConvertible {
    /// A sentence a person can act on.
    public var description: String

    init(_ description: String) {
        self.description = description
    }
}
