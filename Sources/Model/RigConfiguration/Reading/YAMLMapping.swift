import CaptureModel
import Yams

/// Typed access to one mapping of a file. It collects problems, and records which keys were read, so that ``finish()``
/// can report unknown ones.
public final class YAMLMapping {
    public let path: String
    private let problems: ProblemList
    private let mark: Mark?
    private var values: [String: YAMLValue] = [:]
    private var keys: [(name: String, mark: Mark?)] = []
    private var known: [String] = []

    init(_ mapping: Node.Mapping, path: String, problems: ProblemList) {
        self.path = path
        self.problems = problems
        self.mark = mapping.mark
        for (key, value) in mapping {
            guard case .scalar(let scalar) = key else {
                problems.add(.wrongType, at: key.mark, key: path, "a key must be a single word")
                continue
            }
            let inside = path.isEmpty ? scalar.string.excerpt : "\(path).\(scalar.string.excerpt)"
            keys.append((scalar.string, scalar.mark))
            values[scalar.string] = YAMLValue(node: value, path: inside, problems: problems)
        }
    }

    /// The keys in the order of the file, for a mapping whose keys are data.
    public var names: [String] { keys.map(\.name) }

    /// Returns the value of a key; nil if the file does not have it.
    public func value(_ key: String) -> YAMLValue? {
        known.append(key)
        return values[key]
    }

    /// Returns the value of a required key; nil, with a reported problem, if it is missing.
    public func required(_ key: String) -> YAMLValue? {
        if let value = value(key) { return value }
        problems.add(.missingKey, at: mark, key: path.isEmpty ? key : "\(path).\(key)", "is required and missing")
        return nil
    }

    /// Returns the value of a key, or `fallback` if it is missing or wrong.
    public func read<Value>(_ key: String, _ kind: Scalar<Value>, default fallback: Value) -> Value {
        value(key)?.scalar(kind) ?? fallback
    }

    /// Returns the mapping under a key; nil if it is missing or wrong.
    public func mapping(_ key: String) -> YAMLMapping? {
        value(key)?.mapping()
    }

    /// Reports a problem of the complete mapping.
    public func report(_ code: ConfigurationProblem.Code, _ reason: String) {
        problems.add(code, at: mark, key: path, reason)
    }

    /// Reports every key that was never read, with the most similar known key.
    public func finish() {
        for (name, mark) in keys where !known.contains(name) {
            let hint =
                name.nearest(among: known).map { "did you mean '\($0)'?" }
                ?? "keys here are \(known.joined(separator: ", "))"
            let key = path.isEmpty ? name.excerpt : "\(path).\(name.excerpt)"
            problems.add(.unknownKey, at: mark, key: key, "unknown key; \(hint)")
        }
    }
}

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
