import Yams

/// What is found wrong while a file is read; used within one call to parse, on one thread.
final class ProblemList {
    private var problems: [ConfigurationProblem] = []

    var isEmpty: Bool { problems.isEmpty }

    func add(_ code: ConfigurationProblem.Code, at mark: Mark?, key: String, _ reason: String) {
        problems.append(
            ConfigurationProblem(code, line: mark?.line ?? 1, column: mark?.column ?? 1, key: key, reason: reason))
    }

    /// The problems in the order of the file.
    var sorted: [ConfigurationProblem] {
        problems.sorted { ($0.line, $0.column, $0.key) < ($1.line, $1.column, $1.key) }
    }
}
