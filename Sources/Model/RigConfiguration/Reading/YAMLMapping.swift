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

    /// Returns the path of a key, as ``YAMLValue/filePath()``, or `fallback` if it is missing or wrong.
    public func readPath(_ key: String, default fallback: String) -> String {
        value(key)?.filePath() ?? fallback
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
