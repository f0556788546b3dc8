import ArgumentParser
import Testing

@testable import CapctlCommands

@Suite struct CommandExampleTests {
    /// Every command with its words, the program first.
    private static let commands = all(Capctl.self, [])

    private static func all(
        _ command: any ParsableCommand.Type, _ before: [String]
    ) -> [(words: [String], command: any ParsableCommand.Type)] {
        let words = before + [command.configuration.commandName ?? ""]
        return [(words, command)] + command.configuration.subcommands.flatMap { all($0, words) }
    }

    @Test func `Every command that the help shows has an example in its own help`() {
        #expect(Self.commands.count > 80)
        for (words, command) in Self.commands where command.configuration.shouldDisplay {
            let help = Capctl.helpMessage(for: command, columns: 80)
            let examples = (command as? any ExplainedCommand.Type)?.examples ?? []
            #expect(!examples.isEmpty, "\(words)")
            for example in examples {
                #expect(help.contains("  \(example.line)\n"), "\(words): \(example.line)\n\(help)")
                #expect(example.line.count <= 78, "\(example.line)")
            }
        }
    }

    @Test func `Every example is accepted as it stands, and is one of its command`() throws {
        for (words, command) in Self.commands {
            for example in (command as? any ExplainedCommand.Type)?.examples ?? [] {
                let parsed = try Capctl.parseAsRoot(example.arguments)
                #expect(!(parsed is Capctl), "\(example.line)")
                // A command with subcommands shows those.
                let isGroup = !command.configuration.subcommands.isEmpty
                #expect(isGroup || type(of: parsed) == command, "\(words): \(example.line)")
                for line in example.before {
                    _ = try Capctl.parseAsRoot(CommandExample(stringLiteral: line).arguments)
                }
            }
        }
    }

    @Test func `An example's words are those that a shell passes on`() {
        let quoted: CommandExample = "capctl record mark \"the ball is thrown\" --take last"
        #expect(quoted.arguments == ["record", "mark", "the ball is thrown", "--take", "last"])
        let piped: CommandExample = "capctl preview node1/cam1 | ffplay -f mjpeg -"
        #expect(piped.arguments == ["preview", "node1/cam1"])
        let empty: CommandExample = "capctl record stop --title \"\""
        #expect(empty.arguments == ["record", "stop", "--title", ""])
    }
}
