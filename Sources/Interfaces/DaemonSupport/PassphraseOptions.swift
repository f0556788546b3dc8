public import ArgumentParser
internal import Foundation
internal import Glibc

/// How a command gets a passphrase. Never from the command line, which other users can read.
public struct PassphraseOptions: ParsableArguments {
    @Option(help: "A file whose first line is the passphrase; without it, the terminal is asked.")
    var passphraseFile: String?

    public init() {}

    /// Reads the passphrase.
    /// - Parameter isNew: Whether the person chooses it now, and has to repeat it.
    public func passphrase(isNew: Bool) throws -> String {
        if let passphraseFile {
            let text = try String(contentsOfFile: passphraseFile, encoding: .utf8)
            return String(text.prefix { !$0.isNewline })
        }
        guard isatty(STDIN_FILENO) == 1 else {
            throw ValidationError("there is no terminal to ask for the passphrase; give --passphrase-file FILE")
        }
        let passphrase = Self.ask("Passphrase: ")
        guard !isNew || passphrase == Self.ask("Again: ") else {
            throw ValidationError("the passphrases differ; repeat the command")
        }
        return passphrase
    }

    /// Asks the terminal without an echo.
    private static func ask(_ prompt: String) -> String {
        guard let answer = unsafe getpass(prompt) else { return "" }
        return unsafe String(cString: answer)
    }
}
