internal import ArgumentParser
internal import CaptureModel

/// The command that a wrong command line may have meant. The argument parser itself suggests options.
struct MisspelledCommand: Equatable {
    /// All words before the wrong one, with the program's name.
    var before: [String]
    var wrong: String
    var meant: String

    /// `'capctl tirgger' is not a command; did you mean 'capctl trigger'?`
    var sentence: String {
        let line = { (word: String) in (before + [word]).joined(separator: " ") }
        return "'\(line(Table.printable(wrong)))' is not a command; did you mean '\(line(meant))'?"
    }

    /// Finds the first word that is not a command.
    /// - Parameters:
    ///   - arguments: A command line that cannot be parsed, without the program's name.
    ///   - root: The program.
    /// - Returns: nil if its commands are known, or nothing is near.
    static func found(in arguments: [String], of root: any ParsableCommand.Type) -> MisspelledCommand? {
        var command = root
        var before = [name(of: root)]
        for argument in arguments {
            let children = command.configuration.subcommands
            // What follows is an option or an argument of the command.
            guard !children.isEmpty, !argument.hasPrefix("-"), argument != "help" else { return nil }
            guard let child = children.first(where: { name(of: $0) == argument }) else {
                let shown = children.filter { $0.configuration.shouldDisplay }.map { name(of: $0) }
                return Spelling.nearest(to: argument, among: shown).map { meant in
                    MisspelledCommand(before: before, wrong: argument, meant: meant)
                }
            }
            before.append(argument)
            command = child
        }
        return nil
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }
}
