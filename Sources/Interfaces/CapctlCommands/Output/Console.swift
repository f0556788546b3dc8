internal import Foundation

/// Where a command writes: data to standard output, everything else to standard error. Writing is unbuffered, so that
/// whoever reads a pipe sees a line when it is written.
struct Console: Sendable {
    /// Writes data.
    var write: @Sendable (String) -> Void
    /// Writes what is for people only.
    var note: @Sendable (String) -> Void
    /// Whether notes go to a terminal, where a line may be written over.
    var isTerminal: Bool
    /// Puts a question to the person at the terminal; nil where there is none.
    var confirm: @Sendable (String) -> Bool? = { _ in nil }

    /// This process's streams.
    static let standard = Console(
        write: { text in
            do {
                try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            } catch {
                // Nobody is left to read what else there is to say.
                complain("capctl: standard output cannot be written: \(error.localizedDescription)\n")
                exit(CommandStatus.other.rawValue)
            }
        },
        note: complain,
        isTerminal: isatty(FileHandle.standardError.fileDescriptor) == 1,
        confirm: { question in
            guard isatty(FileHandle.standardInput.fileDescriptor) == 1 else { return nil }
            complain(question + " [y/N] ")
            return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
        })

    /// Says something on standard error; where that cannot be written there is nobody to tell.
    private static func complain(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }

    /// Shows where something stands, in place of what was shown before; only on a terminal.
    func progress(_ line: String) {
        if isTerminal { note("\r\u{1B}[2K" + line) }
    }

    /// Takes the progress line away.
    func endProgress() {
        if isTerminal { note("\r\u{1B}[2K") }
    }
}
