/// A configuration that cannot be used, with all its problems.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as the user named it.
    public var file: String
    /// At least one, in the order of the file.
    public var problems: [ConfigurationProblem]

    public init(file: String, problems: [ConfigurationProblem]) {
        self.file = file
        self.problems = problems
    }

    /// One line per problem, in the form that editors and terminals turn into a link: `file:line:column: …`.
    public var description: String {
        problems.map { "\(file):\($0.line):\($0.column): \($0)" }.joined(separator: "\n")
    }
}

/// One problem of a configuration.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of problem.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The file is not YAML, or too large.
        case syntax
        /// There is no key of this name.
        case unknownKey
        /// A key that has no default is absent.
        case missingKey
        /// The value is not of the required type: mapping, list or single value.
        case wrongType
        /// The value is not one of those allowed.
        case badValue
        /// A value that must be unique occurs twice.
        case duplicate
    }

    public var code: Code
    /// From 1.
    public var line: Int
    /// From 1, in characters.
    public var column: Int
    /// The key with its path, such as `devices[1].format.width`; empty for the complete file.
    public var key: String
    /// What is wrong and what is allowed.
    public var reason: String

    public init(_ code: Code, line: Int, column: Int, key: String, reason: String) {
        self.code = code
        self.line = line
        self.column = column
        self.key = key
        self.reason = reason
    }

    public var description: String { key.isEmpty ? reason : "\(key): \(reason)" }
}
