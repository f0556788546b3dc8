internal import ArgumentParser

/// A command whose help ends with examples. A command without one does not compile.
protocol ExplainedCommand: AsyncParsableCommand {
    /// Name, abstract and discussion, and subcommands.
    static var help: CommandConfiguration { get }
    /// At least one.
    static var examples: [CommandExample] { get }
}

extension ExplainedCommand {
    /// The help with its examples.
    static var configuration: CommandConfiguration {
        var configuration = help
        let lines = examples.map { "  \($0.line)" }.joined(separator: "\n")
        let heading = examples.count == 1 ? "Example:" : "Examples:"
        let before = help.discussion.isEmpty ? "" : help.discussion + "\n\n"
        configuration.discussion = "\(before)\(heading)\n\n\(lines)"
        return configuration
    }
}
