/// A command line in the help of a command.
struct CommandExample: Sendable, ExpressibleByStringLiteral {
    /// With the program's name.
    var line: String
    /// The command lines that a rig must have carried out before it.
    var before: [String] = []
    /// Why a test cannot run it on a rig of virtual cameras; nil if it does.
    var obstacle: String?

    init(stringLiteral line: String) {
        self.line = line
    }

    /// An example that follows others.
    static func after(_ before: String..., line: String) -> CommandExample {
        var example = CommandExample(stringLiteral: line)
        example.before = before
        return example
    }

    /// An example that no test runs.
    static func shown(_ line: String, needs obstacle: String) -> CommandExample {
        var example = CommandExample(stringLiteral: line)
        example.obstacle = obstacle
        return example
    }

    /// The arguments for `capctl`, up to the first part that is for the shell.
    var arguments: [String] {
        var words: [String] = []
        var isQuoted = false
        var word: String?
        for character in line {
            switch character {
            case "\"": (isQuoted, word) = (!isQuoted, word ?? "")
            case " " where !isQuoted:
                if let word { words.append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { words.append(word) }
        return Array(words.dropFirst().prefix { $0 != "|" && $0 != ">" })
    }
}
