public enum NodeSubject: NamedSubject {
    public static let subjectName = "node"
}

/// The name of a machine that runs one agent.
public typealias NodeName = Name<NodeSubject>
