import Yams

/// A value of the file with its position and key.
public struct YAMLValue {
    let node: Node
    /// The key with its path, such as `devices[1].format`.
    public let path: String
    let problems: ProblemList

    public func report(_ code: ConfigurationProblem.Code, _ reason: String) {
        problems.add(code, at: node.mark, key: path, reason)
    }

    /// Returns the value as this kind of scalar; nil, with a reported problem, if it is not one.
    public func scalar<Value>(_ kind: Scalar<Value>) -> Value? {
        guard case .scalar(let scalar) = node else {
            report(.wrongType, "must be a single value, not \(typeName)")
            return nil
        }
        guard !isNull else {
            report(.wrongType, "has no value")
            return nil
        }
        do {
            return try kind.read(scalar.string)
        } catch {
            report(.badValue, error.reason)
            return nil
        }
    }

    /// Returns the value as a path in the file system, of which a relative one refers to the file's folder; nil, with a reported problem, if
    /// it is not one.
    public func filePath() -> String? {
        scalar(.path).map(problems.resolved)
    }

    public var isMapping: Bool {
        if case .mapping = node { true } else { false }
    }

    public var isEmptyMapping: Bool {
        if case .mapping(let mapping) = node { mapping.isEmpty } else { false }
    }

    /// Returns the value as a mapping; nil, with a reported problem, if it is not one.
    public func mapping() -> YAMLMapping? {
        guard case .mapping(let mapping) = node else {
            report(.wrongType, "must be a mapping of keys to values, not \(typeName)")
            return nil
        }
        return YAMLMapping(mapping, path: path, problems: problems)
    }

    /// Returns the elements of a list of at most `limit`; nil, with a reported problem, if it is not one.
    public func list(limit: Int) -> [YAMLValue]? {
        guard case .sequence(let sequence) = node else {
            report(.wrongType, "must be a list, not \(typeName)")
            return nil
        }
        guard sequence.count <= limit else {
            report(.badValue, "has \(sequence.count) entries; at most \(limit) are allowed")
            return nil
        }
        return sequence.enumerated().map { index, node in
            YAMLValue(node: node, path: "\(path)[\(index)]", problems: problems)
        }
    }

    private var isNull: Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null"].contains(scalar.string)
    }

    private var typeName: String {
        switch node {
        case .scalar: isNull ? "nothing" : "a single value"
        case .mapping: "a mapping"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}
