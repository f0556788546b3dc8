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
        write: { FileHandle.standardOutput.write(Data($0.utf8)) },
        note: { FileHandle.standardError.write(Data($0.utf8)) },
        isTerminal: isatty(FileHandle.standardError.fileDescriptor) == 1,
        confirm: { question in
            guard isatty(FileHandle.standardInput.fileDescriptor) == 1 else { return nil }
            FileHandle.standardError.write(Data((question + " [y/N] ").utf8))
            return readLine().map { ["y", "yes"].contains($0.lowercased()) } ?? false
        })

    /// Shows where something stands, in place of what was shown before; only on a terminal.
    func progress(_ line: String) {
        if isTerminal { note("\r\u{1B}[2K" + line) }
    }

    /// Takes the progress line away.
    func endProgress() {
        if isTerminal { note("\r\u{1B}[2K") }
    }
}
