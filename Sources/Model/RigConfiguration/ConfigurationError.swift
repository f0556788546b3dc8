/// A configuration that cannot be used, with everything that is wrong with it.
public struct ConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file as the person named it.
    public var file: String
    /// At least one, in the order of the file.
    public var problems: [ConfigurationProblem]

    public init(file: String, problems: [ConfigurationProblem]) {
        self.file = file
        self.problems = problems
    }

    /// One line per problem, in the form that editors and terminals make a link of: `file:line:column: …`.
    public var description: String {
        problems.map { "\(file):\($0.line):\($0.column): \($0)" }.joined(separator: "\n")
    }
}

/// One thing that is wrong with a configuration.
public struct ConfigurationProblem: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of problem.
    public enum Code: String, Hashable, Sendable, CaseIterable {
        /// The file is no YAML, or too large.
        case syntax
        /// There is no such key.
        case unknownKey
        /// A key that has no default is absent.
        case missingKey
        /// A mapping, a list or a single value stands where another is needed.
        case wrongType
        /// The value is not one of those allowed.
        case badValue
        /// What must be unique is there twice.
        case duplicate
    }

    public var code: Code
    /// Counted from 1.
    public var line: Int
    /// Counted from 1, in characters.
    public var column: Int
    /// The key at fault with all that it is inside of, such as `devices[1].format.width`; empty for the whole file.
    public var key: String
    /// What is wrong, and what is right.
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
